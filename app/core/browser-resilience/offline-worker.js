// @ts-nocheck: the types of a worker and those of a page exclude each other; a browser test runs it.
// The service worker keeps one screen for offline use. Its URL names the screen (/programa-sin-linea.js keeps /programa) and the
// build, so that each build begins with an empty cache. The network comes first: the cache answers only when the network fails, or
// answers with a fault of the site or the error page of a proxy before it.
const SCREEN = new URL(self.location.href).pathname.replace(/-sin-linea\.js$/, '')
const PREFIX = `${SCREEN.slice(1)}-`
const CACHE = PREFIX + new URL(self.location.href).searchParams.get('version')
/** A request for the screen without an answer counts as failed after this time. */
const FETCH_TIMEOUT_MS = 8000

/** A request waits for the cache this long, since the cache may never answer (storage-timeout.ts). */
const CACHE_TIMEOUT_MS = 1000

/** Returns the result of a cache request; undefined if the request fails or takes longer than CACHE_TIMEOUT_MS. */
const withCacheTimeout = (request) =>
  Promise.race([request.catch(() => undefined), new Promise((resolve) => setTimeout(resolve, CACHE_TIMEOUT_MS))])

const matchCached = async (path) =>
  (await withCacheTimeout(caches.open(CACHE).then((cache) => cache.match(path)))) ?? Response.error()

/** Returns the cached answer in place of one that is a fault, if there is a cached one. */
async function unlessFault(response, path) {
  if (response.status < 500) return response
  const cached = await matchCached(path)
  return cached.ok ? cached : response
}

/** Lists the build's files that a document refers to. */
const filesOf = (html) => [...new Set([...html.matchAll(/["'(](\/assets\/[^"'()\s]+)/g)].map(([, path]) => path))]

/** Stores a document with its files, and removes cached files that the document no longer needs. */
async function cacheDocument(response) {
  const html = await response.clone().text()
  const files = filesOf(html)
  const cache = await caches.open(CACHE)
  for (const file of files) if (!(await cache.match(file))) await cache.add(file)
  await cache.put(SCREEN, response)
  const neededPaths = new Set([SCREEN, ...files])
  for (const request of await cache.keys())
    if (!neededPaths.has(new URL(request.url).pathname)) await cache.delete(request)
}

/** Returns whether a response may be cached. A response for a single visitor, such as a preview, may not. */
const mayCache = (response) => response.ok && !/no-store|private/.test(response.headers.get('cache-control') ?? '')

async function deleteOtherCaches(keptCache) {
  for (const name of await caches.keys()) if (name.startsWith(PREFIX) && name !== keptCache) await caches.delete(name)
}

async function fetchScreen(event) {
  try {
    const response = await fetch(event.request, { signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) })
    if (mayCache(response)) event.waitUntil(cacheDocument(response.clone()).catch(() => {}))
    // The screen no longer exists, so its caches and this worker are removed.
    else if (response.status === 404 || response.status === 410)
      event.waitUntil(deleteOtherCaches().then(() => self.registration.unregister()))
    return await unlessFault(response, SCREEN)
  } catch {
    return matchCached(SCREEN)
  }
}

self.addEventListener('install', (event) => {
  self.skipWaiting()
  event.waitUntil(
    fetch(SCREEN, { cache: 'no-cache' }).then((response) => (mayCache(response) ? cacheDocument(response) : undefined)),
  )
})

self.addEventListener('activate', (event) => {
  // Until this promise settles, the worker holds up every request of its screen.
  event.waitUntil(withCacheTimeout(deleteOtherCaches(CACHE)))
})

self.addEventListener('fetch', (event) => {
  const { method, mode, url } = event.request
  const { origin, pathname } = new URL(url)
  if (method !== 'GET' || origin !== self.location.origin) return
  if (mode === 'navigate' && pathname === SCREEN) event.respondWith(fetchScreen(event))
  else if (pathname.startsWith('/assets/'))
    event.respondWith(
      fetch(event.request).then(
        (response) => unlessFault(response, pathname),
        () => matchCached(pathname),
      ),
    )
})
