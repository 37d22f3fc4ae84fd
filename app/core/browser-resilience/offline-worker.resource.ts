import code from './offline-worker.js?raw'

/** The worker's requests obey the content security policy of its script, not that of the page. */
const POLICY = "default-src 'none'; connect-src 'self'; frame-ancestors 'none'"

/** The script of the service worker that keeps one screen for offline use; use-offline.ts registers it. */
export function loader() {
  return new Response(code, {
    headers: {
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy': POLICY,
    },
  })
}
