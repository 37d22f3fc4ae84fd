import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, Site, test } from '../../e2e/site.ts'

/** Requests that the network has under way at each moment: more than its queue holds. */
const AT_ONCE = 100
const ROUNDS = 12

const [FLOOD, OTHER] = ['203.0.113.9', '198.51.100.7']

const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1]!

/** Asks as a network, over kept connections. */
function askOf(site: Site) {
  const agent = new Agent({ keepAlive: true })
  return async (from: string, path: string, form?: string) => {
    const began = performance.now()
    const method = form === undefined ? 'GET' : 'POST'
    const headers = {
      'x-forwarded-for': from,
      ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded', 'content-length': form.length }),
    }
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; ms: number; said: string }>()
    request(site.url + path, { agent, method, headers }, async (answer) => {
      const said = await text(answer)
      resolve({ status: answer.statusCode!, ms: performance.now() - began, said })
    })
      .on('error', reject)
      .end(form)
    return promise
  }
}

test('a network that asks for more screens than its share keeps only itself waiting', async () => {
  const site = await Site.start({ TRUSTED_PROXIES: '1' })
  try {
    const ask = askOf(site)
    const screens = ['/folio', '/medios', '/registro', '/organizadores']
    await Promise.all(screens.map((path) => ask(OTHER, path)))
    let isOver = false
    const flood: Awaited<ReturnType<typeof ask>>[] = []
    const one = async (at: number) => {
      for (let turn = 0; !isOver; turn++) flood.push(await ask(FLOOD, `${screens[(at + turn) % 4]}?n=${turn}`))
    }
    const all = Array.from({ length: AT_ONCE }, (_, at) => one(at))
    const others: Awaited<ReturnType<typeof ask>>[] = []
    for (let round = 0; round < ROUNDS; round++)
      others.push(
        await ask(OTHER, '/'),
        await ask(OTHER, '/misspopularidad/voto', `vote=1&intento=${randomUUID()}`),
        await ask(OTHER, '/folio'),
        await ask(FLOOD, '/'),
        await ask(FLOOD, '/misspopularidad/voto', `vote=1&intento=${randomUUID()}`),
        await ask(FLOOD, `/no-hay-${round}`),
      )
    isOver = true
    await Promise.all(all)

    expect([...new Set(others.map(({ status }) => status))].sort()).toEqual([200, 401, 404])
    const shown = flood.filter(({ status }) => status === 200)
    const refused = flood.filter(({ status }) => status === 503)
    expect(shown.length + refused.length).toBe(flood.length)
    expect(refused[0]?.said).toContain('Hay mucha gente a la vez')
    expect(median(others.map(({ ms }) => ms)) * 4).toBeLessThan(median(shown.map(({ ms }) => ms)))
    // A refusal comes sooner than a screen.
    expect(median(refused.map(({ ms }) => ms))).toBeLessThan(median(shown.map(({ ms }) => ms)))
  } finally {
    await site.stop()
  }
})

test('an unknown address is rendered once, with its section marked in the menu', async () => {
  const site = await Site.start()
  try {
    const page = async (path: string) => {
      const answer = await fetch(site.url + path)
      expect(answer.status).toBe(404)
      return answer.text()
    }
    const first = await page('/no-hay')
    // A page that is rendered again would have another nonce, and another text.
    expect(await page('/otra/que/no-hay')).toBe(first)
    expect(await page('/%E0%A4%A')).toBe(first)
    const below = await page('/candidatas/no-hay')
    expect(below).toMatch(/aria-current="page"[^>]*href="\/candidatas"|href="\/candidatas"[^>]*aria-current="page"/)
    expect(await page('/candidatas/otra')).toBe(below)
  } finally {
    await site.stop()
  }
})
