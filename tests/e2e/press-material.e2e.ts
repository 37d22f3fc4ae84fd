import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { expectAccessible } from './accessible.ts'
import { signedIn } from './accounts.ts'
import { expect, test } from './site.ts'
import { softStep } from './soft-step.ts'

const sha = (bytes: Buffer | Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** Names and bytes of a ZIP whose entries are stored, not compressed (APPNOTE 4.3.12). */
function entriesOf(zip: Buffer): { name: string; bytes: Buffer }[] {
  const end = zip.lastIndexOf(Buffer.from('PK\x05\x06'))
  let at = zip.readUInt32LE(end + 16)
  return Array.from({ length: zip.readUInt16LE(end + 10) }, () => {
    const [size, nameLength, extra, comment] = [
      zip.readUInt32LE(at + 24),
      ...[28, 30, 32].map((by) => zip.readUInt16LE(at + by)),
    ]
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength!)
    const local = zip.readUInt32LE(at + 42)
    const begin = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
    at += 46 + nameLength! + extra! + comment!
    return { name, bytes: zip.subarray(begin, begin + size!) }
  })
}

let press: ReturnType<typeof signedIn> | undefined
test.beforeEach(async ({ context, site }) => {
  press ??= signedIn(site, 'prensa')
  const { name, value } = await press
  await context.addCookies([{ name, value, url: site.url }])
})

test.describe('galería de candidatas', () => {
  test('the screen', async ({ page }) => {
    await page.goto('/galeria-candidatas')
    await softStep('offers the group and three versions of each of the five, as PNG', async () => {
      await expect(page.getByRole('heading', { level: 1, name: 'Galería de candidatas' })).toBeVisible()
      await expect(page.getByRole('heading', { level: 2 })).toHaveText([
        'Fotografía de grupo',
        'Valeria Bugambilia Olmos',
        'Renata Cempasúchil Nava',
        'Ximena Agave Montaño',
        'Fernanda Jacaranda Luna',
        'Paola Colorín Vega',
      ])
      const links = page.getByRole('link', { name: 'Descargar', exact: true })
      await expect(links).toHaveCount(16)
      for (const link of await links.all()) expect(await link.getAttribute('href')).toMatch(/\.png$/)
      await expect(links.nth(1)).toHaveAccessibleDescription('Valeria Bugambilia Olmos Versión B, en blanco y negro')
    })

    await softStep('hands over a PNG of the original size, named after the people in it', async () => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Descargar', exact: true }).nth(3).click(),
      ])
      expect(download.suggestedFilename()).toBe('senorita-azahares-2025-valeria-bugambilia-olmos-vestido.png')
      const { format, width, height } = await sharp(await download.path()).metadata()
      expect({ format, width, height }).toEqual({ format: 'png', width: 1333, height: 2000 })
    })

    // tests/e2e/screens.e2e.ts runs axe at a telephone's width.
    await softStep('holds up against axe at 1440 px', () => expectAccessible(page))
  })

  test('hands over a section as one ZIP, with the same files', async ({ context: { request } }) => {
    const zip = await request.get('/descargas/senorita-azahares-2025-paola-colorin-vega.zip')
    const body = await zip.body()
    expect(Number(zip.headers()['content-length'])).toBe(body.byteLength)
    expect(zip.headers()['content-disposition']).toContain('senorita-azahares-2025-paola-colorin-vega.zip')
    const entries = entriesOf(body)
    expect(entries.map(({ name }) => name)).toEqual(
      ['b', 'normal', 'vestido'].map((version) => `senorita-azahares-2025-paola-colorin-vega-${version}.png`),
    )
    for (const { name, bytes } of entries)
      expect(sha(bytes)).toBe(sha(await (await request.get(`/descargas/${name}`)).body()))
  })

  test('answers ranges, and 404 for an unknown file', async ({ context: { request } }) => {
    const path = '/descargas/senorita-azahares-2025-candidatas-grupo.png'
    const whole = await (await request.get(path)).body()
    const part = await request.get(path, { headers: { range: 'bytes=100-199' } })
    expect(part.status()).toBe(206)
    expect(sha(await part.body())).toBe(sha(whole.subarray(100, 200)))
    // A range that ends before it starts is none; one beyond the end cannot be answered.
    const get = (range: string) => request.get(path, { headers: { range } }).then((answer) => answer.status())
    expect([await get('bytes=9-3'), await get('bytes=999999999-'), await get('bytes=-100')]).toEqual([200, 416, 206])
    const etag = part.headers().etag!
    const rest = await request.get(path, { headers: { range: 'bytes=100-', 'if-range': etag } })
    expect([rest.status(), sha(await rest.body())]).toEqual([206, sha(whole.subarray(100))])
    const other = await request.get(path, { headers: { range: 'bytes=100-', 'if-range': '"otro"' } })
    expect([other.status(), sha(await other.body())]).toEqual([200, sha(whole)])
    expect((await request.get(path, { headers: { 'if-none-match': `"otro", W/${etag}` } })).status()).toBe(304)
    for (const wrong of ['nada.png', '..%2f..%2fpackage.json', 'senorita-azahares-2025-nadie.zip'])
      expect((await request.get(`/descargas/${wrong}`)).status(), wrong).toBe(404)
  })
})

test.describe('convocatoria oficial', () => {
  test('the screen', async ({ page }) => {
    await page.goto('/convocatoriaoficial')
    await softStep('shows the press release and four sections, each picture with its link', async () => {
      await expect(page.getByRole('heading', { level: 1, name: 'Convocatoria Oficial' })).toBeVisible()
      for (const name of ['Reina Actual', 'Directora', 'Maestros', 'Cartel de la convocatoria'])
        await expect(page.getByRole('heading', { level: 2, name })).toBeVisible()
      const teachers = page
        .getByRole('region', { name: 'Maestros' })
        .getByRole('link', { name: 'Descargar', exact: true })
      await expect(teachers).toHaveCount(10)
      await expect(teachers.nth(1)).toHaveAccessibleDescription(/Lorena Magnolia Duarte, en blanco y negro/)
    })

    await softStep('hands over the word-processor document', async () => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Descargar boletín' }).click(),
      ])
      expect(download.suggestedFilename()).toBe('senorita-azahares-2025-boletin.docx')
      expect(sha(await readFile(await download.path()))).toBe(
        sha(await readFile('content/2025/convocatoria/boletin.docx')),
      )
    })

    // tests/e2e/screens.e2e.ts runs axe at a telephone's width.
    await softStep('holds up against axe at 1440 px', () => expectAccessible(page))
  })
})
