import code from './offline-worker.js?raw'

/** A worker may ask for what its own policy names. */
const POLICY = "default-src 'none'; connect-src 'self'; frame-ancestors 'none'"

/** The service worker of a screen that keeps itself, whose scope is that screen alone. */
export function loader() {
  return new Response(code, {
    headers: {
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy': POLICY,
    },
  })
}
