// @ts-nocheck: the types of a worker and those of a page exclude each other; a browser test runs it.
// The service worker of one screen, named by the worker's address (/programa-sin-linea.js serves /programa). Network first: the
// cache answers only when the network does not. The address also names the build, so each build begins with an empty cache.
const SCREEN = new URL(self.location.href).pathname.replace(/-sin-linea\.js$/, '')
const PREFIX = `${SCREEN.slice(1)}-`
const CACHE = PREFIX + new URL(self.location.href).searchParams.get('version')
/** Milliseconds after which a request without an answer counts as failed. */
const PATIENCE_MS = 8000

/** Milliseconds that a request waits for the cache, which may never answer (storage-timeout.ts). */
const KEPT_MS = 1000

/** The result of a cache request; undefined if it fails or takes longer than KEPT_MS. */
const inTime = (asked) =>
  Promise.race([asked.catch(() => undefined), new Promise((resolve) => setTimeout(resolve, KEPT_MS))])

const kept = async (path) => (await inTime(caches.open(CACHE).then((cache) => cache.match(path)))) ?? Response.error()

/** The build's files that a document refers to: fonts and modules. */
const filesOf = (html) => [...new Set([...html.matchAll(/["'(](\/assets\/[^"'()\s]+)/g)].map(([, path]) => path))]

/** Stores a document with its files, and removes cached files that the document no longer needs. */
async function keep(response) {
  const html = await response.clone().text()
  const files = filesOf(html)
  const cache = await caches.open(CACHE)
  for (const file of files) if (!(await cache.match(file))) await cache.add(file)
  await cache.put(SCREEN, response)
  const needed = new Set([SCREEN, ...files])
  for (const request of await cache.keys()) if (!needed.has(new URL(request.url).pathname)) await cache.delete(request)
}

/** Whether a response may be cached. A response for one visitor alone (a preview, say) may not. */
const isForAll = (response) => response.ok && !/no-store|private/.test(response.headers.get('cache-control') ?? '')

async function forgetOthers(but) {
  for (const name of await caches.keys()) if (name.startsWith(PREFIX) && name !== but) await caches.delete(name)
}

async function open(event) {
  try {
    const response = await fetch(event.request, { signal: AbortSignal.timeout(PATIENCE_MS) })
    if (isForAll(response)) event.waitUntil(keep(response.clone()).catch(() => {}))
    // The screen no longer exists: its caches and this worker go.
    else if (response.status === 404 || response.status === 410)
      event.waitUntil(forgetOthers().then(() => self.registration.unregister()))
    return response
  } catch {
    return kept(SCREEN)
  }
}

self.addEventListener('install', (event) => {
  self.skipWaiting()
  event.waitUntil(
    fetch(SCREEN, { cache: 'no-cache' }).then((response) => (isForAll(response) ? keep(response) : undefined)),
  )
})

self.addEventListener('activate', (event) => {
  // Until this promise settles, the worker holds up every request of its screen.
  event.waitUntil(inTime(forgetOthers(CACHE)))
})

self.addEventListener('fetch', (event) => {
  const { method, mode, url } = event.request
  const { origin, pathname } = new URL(url)
  if (method !== 'GET' || origin !== self.location.origin) return
  if (mode === 'navigate' && pathname === SCREEN) event.respondWith(open(event))
  else if (pathname.startsWith('/assets/')) event.respondWith(fetch(event.request).catch(() => kept(pathname)))
})
