import workerScript from './offline-worker.js?raw'

/** The worker's requests obey the content security policy of the worker's script, not the page's policy. */
const WORKER_POLICY = "default-src 'none'; connect-src 'self'; frame-ancestors 'none'"

/** Serves the service worker that keeps /programa or /jurado readable offline; use-offline.ts registers it. */
export function loader() {
  return new Response(workerScript, {
    headers: {
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy': WORKER_POLICY,
    },
  })
}
