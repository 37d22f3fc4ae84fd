import { connect } from 'node:net'
import { expect, Site, test } from './site.ts'

const PATHS = [
  '/',
  '/_.data',
  '/registro',
  '/no-existe',
  '/healthz',
  '/archivos/registro/1_Ana/x.pdf',
  '/subidas',
  '/favicon.ico',
  '/candidatas/',
]

test('every answer says what browsers may do with it', async ({ request }) => {
  for (const path of PATHS) {
    const headers = (await request.get(path, { maxRedirects: 0 })).headers()
    const policy = headers['content-security-policy']!
    // The policy of an answer without a document allows nothing; that of a document names each source.
    if (!headers['content-type']?.startsWith('text/html')) expect(policy, path).toMatch(/^default-src 'none'/)
    else
      for (const none of ['object-src', 'frame-src', 'worker-src', 'child-src', 'base-uri'])
        expect(policy, path).toContain(`; ${none} 'none'`)
    expect(headers['content-security-policy'], path).not.toContain('unsafe')
    expect(headers['content-security-policy'], path).toContain("frame-ancestors 'none'")
    expect(headers['x-frame-options'], path).toBe('DENY')
    expect(headers['x-content-type-options'], path).toBe('nosniff')
    expect(headers['referrer-policy'], path).toBe('strict-origin-when-cross-origin')
    expect(headers['permissions-policy'], path).toContain('camera=()')
    expect(headers['strict-transport-security'], path).toBeUndefined()
  }
})

test('the panel allows its own frames from the first document on, since its screens change without another', async ({
  request,
}) => {
  for (const path of ['/organizadores', '/organizadores/personas', '/organizadores/sitio'])
    expect((await request.get(path)).headers()['content-security-policy'], path).toContain("; frame-src 'self'")
})

test('documents of a registration answer 403, whether or not they exist', async ({ request }) => {
  for (const method of ['GET', 'HEAD', 'POST'])
    expect((await request.fetch('/archivos/registro/1_Ana/actaNacimiento/1_acta.pdf', { method })).status()).toBe(403)
})

test('pages come compressed, unchanged ones are not sent again, and each screen has one address', async ({
  request,
  site,
}) => {
  const page = await request.get('/', { headers: { 'accept-encoding': 'br' } })
  expect(page.headers()['content-encoding']).toBe('br')
  const again = await request.get('/', { headers: { 'accept-encoding': 'br', 'if-none-match': page.headers().etag! } })
  expect(again.status()).toBe(304)
  const slash = await request.get('/candidatas/?a=1', { maxRedirects: 0 })
  expect(slash.status()).toBe(308)
  expect(slash.headers().location).toBe('/candidatas?a=1')
  const elsewhere = await request.get(`${site.url}//ejemplo.com/`, { maxRedirects: 0 })
  expect(elsewhere.headers().location ?? '/').not.toMatch(/^\/\//)
})

test('the site says that it serves and that it is ready', async ({ request }) => {
  expect((await request.get('/healthz')).status()).toBe(200)
  expect((await request.get('/readyz')).status()).toBe(200)
})

test('requests that Node itself refuses are answered with the same headers', async ({ site }) => {
  const { port } = new URL(site.url)
  const raw = async (text: string) => {
    const socket = connect(Number(port), '127.0.0.1')
    socket.end(text)
    let said = ''
    for await (const chunk of socket) said += chunk
    return said
  }
  const asked: [string, RegExp][] = [
    [`GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`, /^HTTP\/1\.1 431/],
    ['BREW / HTTP/1.1\r\nHost: a\r\n\r\n', /^HTTP\/1\.1 400/],
    ['GET /registro HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n', /^HTTP\/1\.1 400/],
    ['GET /healthz HTTP/1.1\r\nExpect: cake\r\nHost: a\r\nConnection: close\r\n\r\n', /^HTTP\/1\.1 200/],
  ]
  for (const [text, expected] of asked) {
    const said = await raw(text)
    expect(said).toMatch(expected)
    expect(said.toLowerCase()).toContain("content-security-policy: default-src 'none'")
    expect(said.toLowerCase()).toContain('x-content-type-options: nosniff')
  }
})

test('addresses answer the methods that they are for, and say which', async ({ request }) => {
  for (const [method, path, status, allow] of [
    ['PUT', '/registro', 405, 'GET, HEAD, POST'],
    ['DELETE', '/registro/envio', 405, 'POST'],
    ['GET', '/registro/envio', 405, 'POST'],
    ['POST', '/maestros/nadie', 405, 'GET, HEAD'],
    ['POST', '/no-existe', 404, undefined],
    ['GET', '/%E0%A4%A', 404, undefined],
  ] as const) {
    const answer = await request.fetch(path, { method, maxRedirects: 0 })
    expect([method, path, answer.status(), answer.headers().allow]).toEqual([method, path, status, allow])
    expect(await answer.text()).not.toContain('Unexpected')
  }
})

test('an address longer than any of the site’s is refused before it is routed', async ({ site }) => {
  const submission = crypto.randomUUID()
  for (const [method, path] of [
    ['GET', `/a${'/'.repeat(2_000)}b/`],
    ['HEAD', `/subidas/${'a'.repeat(2_000)}//`],
    ['POST', `/${'a'.repeat(2_000)}?vote=1`],
  ] as const) {
    const answer = await fetch(site.url + path, { method, headers: { 'x-entrega': submission }, redirect: 'manual' })
    expect([answer.status, answer.headers.get('x-content-type-options')], method).toEqual([414, 'nosniff'])
    expect(await answer.text()).toMatch(method === 'HEAD' ? /^$/ : /demasiado larga/)
  }
  const query = `/subidas/a?${'a'.repeat(4_000)}//`
  expect((await fetch(site.url + query, { method: 'HEAD', headers: { 'x-entrega': submission } })).status).toBe(400)
  // A query may be longer than a path, because networks add parameters to links.
  expect((await fetch(`${site.url}/?de=${'a'.repeat(4_000)}`)).status).toBe(200)
  const slashes = await fetch(`${site.url}/candidatas${'/'.repeat(900)}`, { redirect: 'manual' })
  expect([slashes.status, slashes.headers.get('location')]).toEqual([308, '/candidatas'])
})

test('a body that is no form, or not of a form’s size, is refused before it is read', async ({ site }) => {
  const post = (path: string, body: BodyInit | null, type: string, more: RequestInit = {}) =>
    fetch(site.url + path, { method: 'POST', body, headers: { 'content-type': type }, redirect: 'manual', ...more })
  const urlencoded = 'application/x-www-form-urlencoded'
  for (const path of [
    '/medios',
    '/medios/clave',
    '/medios/paso',
    '/entrar',
    '/organizadores',
    '/misspopularidad',
    '/misspopularidad/acta',
  ]) {
    for (const [type, body] of [
      ['application/json', '{"correo":1}'],
      ['text/plain', 'hola'],
      ['multipart/form-data; boundary=x', '--x\r\nroto'],
    ])
      expect((await post(path, body!, type!)).status, `${path} ${type}`).toBe(400)
    expect((await post(path, `correo=${'a'.repeat(300_000)}`, urlencoded)).status, path).toBe(413)
    // Within the limit of bytes, but with more fields than any form has: the fields are neither read nor repeated.
    const many = await post(path, 'a&'.repeat(120_000), urlencoded)
    expect([many.status, (await many.text()).length < 200], path).toEqual([413, true])
    const unmeasured = new Blob(['correo=a']).stream()
    expect((await post(path, unmeasured, urlencoded, { duplex: 'half' } as RequestInit)).status, path).toBe(411)
  }
  // A key of the greatest length that ends in half a character.
  const link = await fetch(`${site.url}/medios/clave?llave=${'a'.repeat(99)}%F0%9F%98%80`, { redirect: 'manual' })
  expect([link.status, link.headers.get('set-cookie')?.split(';')[0]]).toEqual([302, 'certamen.llave='])
})

test.describe('behind TLS', () => {
  const PUBLIC_URL = 'https://azahares.example'
  let site: Site
  test.beforeAll(async () => {
    site = await Site.start({ PUBLIC_URL })
  })
  test.afterAll(() => site.stop())

  test('browsers are told to come over TLS alone only where the organisers ask for it', async () => {
    const strict = await Site.start({ PUBLIC_URL, HSTS: '31536000; includeSubDomains' })
    for (const path of ['/', '/healthz', '/registro', '/misspopularidad', `/${'x'.repeat(3_000)}`]) {
      const sent = async ({ url }: Site) => (await fetch(url + path)).headers.get('strict-transport-security')
      expect(await sent(site), path).toBeNull()
      expect(await sent(strict), path).toBe('max-age=31536000; includeSubDomains')
    }
    await strict.stop()
  })

  test('forms are taken from the site itself, also behind TLS, and from no other, at both addresses', async () => {
    const post = async (path: string, origin: string) => {
      const answer = await fetch(site.url + path, {
        method: 'POST',
        headers: { origin },
        body: new URLSearchParams({ entrega: 'x' }),
      })
      return answer.status
    }
    for (const path of ['/registro', '/registro/envio']) {
      expect(await post(path, 'https://azahares.example')).toBe(400)
      expect(await post(path, site.url)).toBe(400)
      expect(await post(path, 'http://azahares.example')).toBe(403)
      expect(await post(path, 'https://otro.example')).toBe(403)
      expect(await post(path, 'null')).toBe(403)
    }
    // No other host of the domain can set a __Host- cookie (MDN, Set-Cookie).
    const link = await fetch(`${site.url}/medios/clave?llave=abc`, { redirect: 'manual' })
    expect(link.headers.get('set-cookie')).toBe(
      '__Host-certamen.llave=abc; Max-Age=3600; Path=/; HttpOnly; SameSite=Lax; Secure',
    )
  })
})
