import { readFile } from 'node:fs/promises'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { withStorageTimeout } from './storage-timeout.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const never = () => new Promise<never>(() => {})

test('storage that never answers is done without after a second, and no sooner', async () => {
  const said = vi.fn()
  void withStorageTimeout(never(), 'sin memoria').then(said)
  await vi.advanceTimersByTimeAsync(999)
  expect(said).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(said).toHaveBeenCalledWith('sin memoria')
})

test('an answer in time is taken, a failure as well', async () => {
  expect(await withStorageTimeout(Promise.resolve('guardado'), 'sin memoria')).toBe('guardado')
  await expect(withStorageTimeout(Promise.reject(new Error('roto')), 'sin memoria')).rejects.toThrow('roto')
  expect(vi.getTimerCount()).toBe(0)
})

/** The service worker of /programa over the given caches, by default with a network that fails. */
async function worker(caches: object, fetch: () => Promise<Response> = () => Promise.reject(new TypeError('no line'))) {
  const listeners: Record<string, (event: object) => void> = {}
  runInNewContext(await readFile('app/core/browser-resilience/offline-worker.js', 'utf8'), {
    self: {
      location: { href: 'http://sitio.test/programa-sin-linea.js?version=1', origin: 'http://sitio.test' },
      addEventListener: (type: string, listen: (event: object) => void) => {
        listeners[type] = listen
      },
    },
    caches,
    fetch,
    URL,
    Response,
    AbortSignal,
    setTimeout,
    clearTimeout,
  })
  return (type: string, given: object = {}) =>
    new Promise<unknown>((resolve) => {
      const answer = (asked: Promise<unknown>) => void asked.then(resolve)
      listeners[type]!({ waitUntil: answer, respondWith: answer, ...given })
    })
}

const request = (url: string, mode: string) => ({ request: { method: 'GET', mode, url: `http://sitio.test${url}` } })

test.each<[string, object]>([
  ['caches that never open', { open: never, keys: never }],
  [
    'a cache that never finds',
    { open: async () => ({ match: never }), keys: async () => ['programa-0'], delete: never },
  ],
])('%s hold up no navigation, no file and no activation of the worker', async (_, caches) => {
  const ask = await worker(caches)
  const asked = [
    ask('fetch', request('/programa', 'navigate')),
    ask('fetch', request('/assets/letra.woff2', 'cors')),
    ask('activate'),
  ]
  await vi.advanceTimersByTimeAsync(1_000)
  const [page, file] = (await Promise.all(asked)) as [Response, Response, unknown]
  expect([page.type, file.type]).toEqual(['error', 'error'])
})

test('the kept screen and its files stand in for the error page of a proxy, which is shown if nothing is kept', async () => {
  const badGateway = async () => new Response('Bad Gateway', { status: 502 })
  const keeping = (kept: Record<string, string>) => ({
    open: async () => ({ match: async (path: string) => (path in kept ? new Response(kept[path]) : undefined) }),
  })
  const textsOf = async (caches: object) => {
    const ask = await worker(caches, badGateway)
    const asked = [ask('fetch', request('/programa', 'navigate')), ask('fetch', request('/assets/letra.woff2', 'cors'))]
    return Promise.all(((await Promise.all(asked)) as Response[]).map((response) => response.text()))
  }
  const kept = { '/programa': 'el programa', '/assets/letra.woff2': 'la letra' }
  expect(await textsOf(keeping(kept))).toEqual(['el programa', 'la letra'])
  expect(await textsOf(keeping({}))).toEqual(['Bad Gateway', 'Bad Gateway'])
})
