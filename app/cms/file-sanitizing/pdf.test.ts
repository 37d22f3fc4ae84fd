import { readdirSync, readFileSync } from 'node:fs'
import { inflateSync } from 'node:zlib'
import { PDFDict, PDFDocument, PDFName, PDFRawStream, PDFString, StandardFonts } from '@cantoo/pdf-lib'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { withoutJpegMetadata } from './jpeg-metadata.server.ts'
import { sanitizePdfDocument } from './pdf.server.ts'

const SECRET = 'SECRETO'
const jpeg = (options = {}) =>
  sharp({ create: { width: 60, height: 40, channels: 3, background: '#c21f6b' } })
    .withExif({ IFD0: { Artist: SECRET }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '20/1 40/1 25/1' } })
    .jpeg(options)
    .toBuffer()

/** All text of a PDF, with decompressed streams. */
async function saidBy(bytes: Buffer): Promise<string> {
  const document = await PDFDocument.load(bytes, { updateMetadata: false })
  const streams = document.context.enumerateIndirectObjects().map(([, object]) => {
    if (!(object instanceof PDFRawStream)) return object.toString()
    const contents = Buffer.from(object.contents)
    const isFolded = object.dict.lookup(PDFName.of('Filter')) === PDFName.of('FlateDecode')
    return object.dict.toString() + (isFolded ? inflateSync(contents) : contents).toString('latin1')
  })
  return bytes.toString('latin1') + streams.join('\n')
}

test('of a PDF the visible content and the links stay: no metadata, no attachments, no actions', async () => {
  const document = await PDFDocument.create()
  document.setAuthor(SECRET)
  document.setTitle(SECRET)
  document.addJavaScript(SECRET, `app.alert('${SECRET}')`)
  await document.attach(Buffer.from(SECRET), `${SECRET}.txt`)
  const { context, catalog } = document
  const font = await document.embedFont(StandardFonts.Helvetica)
  const page = document.addPage([300, 400])
  page.drawText('Boletín de prensa', { x: 20, y: 300, font })
  page.drawImage(await document.embedJpg(await jpeg()), { x: 20, y: 20, width: 60, height: 40 })
  const field = document.getForm().createTextField(`campo.${SECRET}`)
  field.setText('Firma de la presidenta')
  field.addToPage(page, { x: 20, y: 200 })
  await document.flush()
  const secret = PDFString.of(SECRET)
  const metadata = context.register(context.stream(`<x:xmpmeta>${SECRET}`, { Type: 'Metadata', Subtype: 'XML' }))
  catalog.set(PDFName.of('Metadata'), metadata)
  catalog.set(PDFName.of('OpenAction'), context.obj({ S: 'Launch', F: secret }))
  catalog.set(PDFName.of('AA'), context.obj({ WC: { S: 'JavaScript', JS: secret } }))
  catalog.set(PDFName.of('PieceInfo'), context.obj({ Programa: { Private: secret } }))
  page.node.set(PDFName.of('AA'), context.obj({ O: { S: 'URI', URI: PDFString.of('file:///SECRETO') } }))
  page.node.set(PDFName.of('Metadata'), metadata)
  page.node.set(PDFName.of('LastModified'), secret)
  page.node.Resources()!.set(PDFName.of('ExtGState'), context.obj({ AF: { ca: 1, Metadata: metadata } }))
  const link = (A: Record<string, unknown>) =>
    context.obj({ Type: 'Annot', Subtype: 'Link', Rect: [0, 0, 9, 9], T: secret, A } as never)
  const rest = [
    link({ S: 'URI', URI: PDFString.of('https://feria.ejemplo.mx/a(b)') }),
    link({ S: 'URI', URI: PDFString.of('file:///C:/SECRETO') }),
    link({ S: 'URI', URI: PDFString.of('javascript:SECRETO') }),
    link({ S: 'Launch', F: secret }),
    link({ S: 'GoToR', F: secret }),
    context.obj({ Type: 'Annot', Subtype: 'Text', Rect: [0, 0, 9, 9], T: secret, Contents: secret }),
    context.obj({ Type: 'Annot', Subtype: 'FileAttachment', Rect: [0, 0, 9, 9], FS: { F: secret } }),
  ]
  const widgets = page.node.Annots()!.asArray()
  page.node.set(PDFName.of('Annots'), context.obj([...widgets, ...rest]))
  const given = Buffer.concat([Buffer.from(await document.save()), Buffer.from(`\n${SECRET} tras el final`)])
  expect(await saidBy(given)).toContain(SECRET)

  const clean = (await sanitizePdfDocument(given))!
  const said = await saidBy(clean)
  expect(said).not.toMatch(
    /SECRETO|JavaScript|OpenAction|\/AA\b|EmbeddedFile|Launch|GoToR|file:|AcroForm|Metadata|xmpmeta|\/Info|PieceInfo|\/Producer|Exif/,
  )
  expect(said).toContain('https://feria.ejemplo.mx/a%28b%29')
  expect(
    clean
      .toString('latin1')
      .match(/\/Subtype \/(Link|Stamp|Text|Widget)/g)
      ?.sort(),
  ).toEqual(['/Subtype /Link', '/Subtype /Stamp'])
  expect(said).toContain(Buffer.from('Firma de la presidenta', 'latin1').toString('hex').toUpperCase())
  const again = await PDFDocument.load(clean)
  expect(again.getPageCount()).toBe(1)
  const [shown] = again.context
    .enumerateIndirectObjects()
    .map(([, object]) => object)
    .filter((object) => object instanceof PDFRawStream && object.dict.has(PDFName.of('ColorSpace')))
  expect((await sharp((shown as PDFRawStream).contents).metadata()).width).toBe(60)
})

test('a PDF with an owner’s password is unlocked, and a PDF that cannot be written again is refused', async () => {
  for (const name of readdirSync('tests/samples/pdf').filter((one) => one.startsWith('owner'))) {
    const clean = await sanitizePdfDocument(readFileSync(`tests/samples/pdf/${name}`))
    expect([name, clean?.includes('/Encrypt')]).toEqual([name, false])
    expect((await PDFDocument.load(clean!)).catalog).toBeInstanceOf(PDFDict)
  }
  for (const bad of [
    '%PDF-1.7\nnada',
    '%PDF-1.7\n1 0 obj<</Type /Catalog>>endobj\ntrailer<</Root 1 0 R>>\nstartxref\n9\n%%EOF',
  ])
    expect(await sanitizePdfDocument(Buffer.from(bad))).toBeUndefined()
})

test('a JPEG 2000 within a PDF loses its metadata, and one with two filters is refused', async () => {
  const box = (name: string, said: string) => {
    const head = Buffer.alloc(8)
    head.writeUInt32BE(said.length + 8)
    head.write(name, 4, 'latin1')
    return Buffer.concat([head, Buffer.from(said, 'latin1')])
  }
  const jp2 = Buffer.concat([
    box('jP  ', '\r\n\x87\n'),
    box('xml ', SECRET),
    box('uuid', SECRET),
    box('jp2c', 'puntos'),
  ])
  const holding = async (Filter: string | string[]) => {
    const document = await PDFDocument.create()
    const { context } = document
    const image = context.register(context.stream(jp2, { Type: 'XObject', Subtype: 'Image', Filter }))
    document.addPage().node.set(PDFName.of('Resources'), context.obj({ XObject: { Foto: image } }))
    return sanitizePdfDocument(Buffer.from(await document.save({ useObjectStreams: false })))
  }
  const clean = (await holding('JPXDecode'))!.toString('latin1')
  expect(clean).toContain('puntos')
  expect(clean).not.toContain(SECRET)
  expect(await holding(['ASCIIHexDecode', 'JPXDecode'])).toBeUndefined()
})

test('a JPEG within another file loses metadata and trailing data, and keeps its pixels', async () => {
  for (const options of [{}, { progressive: true }]) {
    const given = Buffer.concat([await jpeg(options), Buffer.from(SECRET)])
    const clean = withoutJpegMetadata(given)
    expect(clean.includes(SECRET)).toBe(false)
    expect((await sharp(clean).metadata()).exif).toBeUndefined()
    const [before, after] = await Promise.all([given, clean].map((one) => sharp(one).raw().toBuffer()))
    expect(after!.equals(before!)).toBe(true)
  }
  for (const bad of [Buffer.from('GIF89a'), Buffer.of(0xff, 0xd8, 1, 2), Buffer.of(0xff, 0xd8, 0xff, 0xe1, 0xff, 0xff)])
    expect(() => withoutJpegMetadata(bad)).toThrow(RangeError)
})
