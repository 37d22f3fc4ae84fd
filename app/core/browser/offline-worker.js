// @ts-nocheck: the types of a worker and those of a page exclude each other; a browser test runs it.
// The service worker of the one screen that its address names (/programa-sin-linea.js: /programa), and of nothing else: the
// line is asked first, always; what is kept answers only where there is none. Its address names the build, too, so another
// build begins with an empty cache.
const SCREEN = new URL(self.location.href).pathname.replace(/-sin-linea\.js$/, '')
const PREFIX = `${SCREEN.slice(1)}-`
const CACHE = PREFIX + new URL(self.location.href).searchParams.get('version')
/** A line that does not answer for so long is none. */
const PATIENCE_MS = 8000

/** Storage may never answer (storage-timeout.ts): nothing that somebody waits for waits longer. */
const KEPT_MS = 1000

/** What comes within a second of what is kept; undefined: nothing came. */
const inTime = (asked) =>
  Promise.race([asked.catch(() => undefined), new Promise((resolve) => setTimeout(resolve, KEPT_MS))])

const kept = async (path) => (await inTime(caches.open(CACHE).then((cache) => cache.match(path)))) ?? Response.error()

/** The files of the build that a document needs: faces and modules. */
const filesOf = (html) => [...new Set([...html.matchAll(/["'(](\/assets\/[^"'()\s]+)/g)].map(([, path]) => path))]

/** Keeps a document and its files, and lets go of those that it no longer needs. */
async function keep(response) {
  const html = await response.clone().text()
  const files = filesOf(html)
  const cache = await caches.open(CACHE)
  for (const file of files) if (!(await cache.match(file))) await cache.add(file)
  await cache.put(SCREEN, response)
  const needed = new Set([SCREEN, ...files])
  for (const request of await cache.keys()) if (!needed.has(new URL(request.url).pathname)) await cache.delete(request)
}

/** Whether an answer may be kept: not one that is for one visitor alone, a preview say. */
const isForAll = (response) => response.ok && !/no-store|private/.test(response.headers.get('cache-control') ?? '')

async function forgetOthers(but) {
  for (const name of await caches.keys()) if (name.startsWith(PREFIX) && name !== but) await caches.delete(name)
}

async function open(event) {
  try {
    const response = await fetch(event.request, { signal: AbortSignal.timeout(PATIENCE_MS) })
    if (isForAll(response)) event.waitUntil(keep(response.clone()).catch(() => {}))
    // There is no programme any more: nothing is left of it, and nothing of this.
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
  // Until this is through, the worker lets every request of its screen wait.
  event.waitUntil(inTime(forgetOthers(CACHE)))
})

self.addEventListener('fetch', (event) => {
  const { method, mode, url } = event.request
  const { origin, pathname } = new URL(url)
  if (method !== 'GET' || origin !== self.location.origin) return
  if (mode === 'navigate' && pathname === SCREEN) event.respondWith(open(event))
  else if (pathname.startsWith('/assets/')) event.respondWith(fetch(event.request).catch(() => kept(pathname)))
})
