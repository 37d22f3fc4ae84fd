import { expect, Site, test } from './site.ts'

const SUBMISSIONS = 300

test('a visitor who sends too much is told to wait, in Spanish and in HTTP, on both ways', async () => {
  // Sends hundreds of requests, one after the other.
  // A separate site, since the other tests share this network address.
  const site = await Site.start()
  const send = (path: string) => fetch(site.url + path, { method: 'POST', body: new URLSearchParams({ entrega: 'x' }) })
  for (let sent = 0; sent < SUBMISSIONS; sent++) expect((await send('/registro/envio')).status).not.toBe(429)
  for (const path of ['/registro/envio', '/registro']) {
    const refused = await send(path)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await refused.text()).toMatch(/[Ee]spera/)
  }
  expect((await fetch(`${site.url}/`)).status).toBe(200)
  await site.stop()
})
