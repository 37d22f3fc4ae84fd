import { expect, test } from './site.ts'

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
    expect(headers['content-security-policy'], path).toMatch(/^default-src 'none'/)
    expect(headers['content-security-policy'], path).not.toContain('unsafe')
    expect(headers['content-security-policy'], path).toContain("frame-ancestors 'none'")
    expect(headers['x-frame-options'], path).toBe('DENY')
    expect(headers['x-content-type-options'], path).toBe('nosniff')
    expect(headers['referrer-policy'], path).toBe('strict-origin-when-cross-origin')
    expect(headers['permissions-policy'], path).toContain('camera=()')
    expect(headers['strict-transport-security'], path).toBeUndefined()
  }
})

test('documents of a registration answer nobody, whether or not they exist', async ({ request }) => {
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
