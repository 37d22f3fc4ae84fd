import { readdirSync, readFileSync } from 'node:fs'
import { deflateSync, inflateSync } from 'node:zlib'
import { PDFArray, PDFDict, PDFDocument, PDFName, PDFRawStream, type PDFRef } from '@cantoo/pdf-lib'
import { expect, test } from 'vitest'
import { asksForPassword } from '#app/core/uploads/pdf-document.server.ts'
import { coverPdf, disarmPdf, watermarkPdf } from './watermark-pdf.server.ts'

const obj = (number: number, body: string) => `${number} 0 obj\n${body}\nendobj\n`
const CONTENT = 'BT /F1 12 Tf 72 700 Td (Acta) Tj ET'
const streamOf = (text: string) => `<</Length ${text.length}>>\nstream\n${text}\nendstream`

/** A PDF 1.4 of these objects, the catalog first, with a cross-reference table. */
function written(bodies: string[], extra = ''): Buffer {
  let text = '%PDF-1.4\n'
  const at = bodies.map((body, index) => {
    const from = text.length
    text += obj(index + 1, body)
    return from
  })
  const rows = at.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const size = bodies.length + 1
  const from = text.length
  text += `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<</Size ${size} /Root 1 0 R ${extra}>>\nstartxref\n${from}\n%%EOF\n`
  return Buffer.from(text, 'latin1')
}

/** A PDF 1.4 of a single page. */
const classic = (page = '/MediaBox [0 0 300 400] /Contents 4 0 R', catalog = '', extra = '') =>
  written(
    [
      `<</Type /Catalog /Pages 2 0 R ${catalog}>>`,
      '<</Type /Pages /Kids [3 0 R] /Count 1>>',
      `<</Type /Page   /Parent 2 0 R ${page} /Note (a \\) >> b)>>`,
      streamOf(CONTENT),
    ],
    extra,
  )

/** A PDF 1.5 of a single page, with an object stream and a cross-reference stream. */
function packed(): Buffer {
  const inner = ['<</Type /Catalog /Pages 2 0 R>>', '<</Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 300 400]>>']
  inner.push('<</Type /Page /Parent 2 0 R /Contents [4 0 R]>>')
  let body = ''
  const heads = inner.map((text, index) => {
    const head = `${index + 1} ${body.length}`
    body += `${text} `
    return head
  })
  const head = `${heads.join(' ')} `
  const zipped = deflateSync(head + body)
  const parts = [
    Buffer.from('%PDF-1.5\n'),
    Buffer.from(obj(4, streamOf(CONTENT))),
    Buffer.from(
      `5 0 obj\n<</Type /ObjStm /N 3 /First ${head.length} /Filter /FlateDecode /Length ${zipped.length}>>\nstream\n`,
    ),
    zipped,
    Buffer.from('\nendstream\nendobj\n'),
  ]
  const from = Buffer.concat(parts).length
  parts.push(
    Buffer.from(`6 0 obj\n<</Type /XRef /W [1 2 1] /Size 7 /Root 1 0 R /Length 28>>\nstream\n${' '.repeat(28)}`),
  )
  parts.push(Buffer.from(`\nendstream\nendobj\nstartxref\n${from}\n%%EOF\n`))
  return Buffer.concat(parts)
}

const textOf = (stream: unknown) => {
  if (!(stream instanceof PDFRawStream)) throw new Error('no stream')
  const bytes = Buffer.from(stream.getContents())
  return stream.dict.get(PDFName.of('Filter')) ? inflateSync(bytes).toString('latin1') : bytes.toString('latin1')
}

/** For each page of an unencrypted PDF: its content streams, and the appearance of its last annotation. */
async function pagesOf(bytes: Buffer) {
  const document = await PDFDocument.load(bytes)
  return document.getPages().map(({ node }) => {
    const contents = node.lookup(PDFName.of('Contents'), PDFArray).asArray()
    const drawn = contents.map((ref) => textOf(document.context.lookup(ref as PDFRef)))
    const annotations = node.lookup(PDFName.of('Annots'), PDFArray)
    const last = annotations.lookup(annotations.size() - 1, PDFDict)
    const above = textOf(last.lookup(PDFName.of('AP'), PDFDict).lookup(PDFName.of('N')))
    return { drawn, above, annotations: annotations.size(), rect: last.lookup(PDFName.of('Rect'))!.toString() }
  })
}
const marksIn = (text: string) => text.match(/1 1 1 RG/g)?.length ?? 0

/** Expects every page to keep its content, with the mark at the end of the content and in the last annotation. */
async function expectMarked(original: Buffer, said = CONTENT, rect = '[ 0 0 300 400 ]') {
  const marked = await watermarkPdf(original)
  if (!marked) throw new Error('not marked')
  const pages = await pagesOf(marked)
  expect(pages.length).toBeGreaterThan(0)
  for (const page of pages) {
    expect(page.drawn[0]).toBe('q\n')
    expect(page.drawn.slice(1, -1).join('')).toContain(said)
    expect(page.drawn.at(-1)).toMatch(/^\nQ\n/)
    expect(marksIn(page.drawn.at(-1)!)).toBeGreaterThan(10)
    expect(marksIn(page.above)).toBe(marksIn(page.drawn.at(-1)!))
    expect(page.rect).toBe(rect)
  }
  return { marked, pages }
}

const whole = classic()
const text = whole.toString('latin1')
test.each([
  ['with a table', whole],
  ['with packed objects', packed()],
  ['with bytes before its head', Buffer.concat([Buffer.from('<br />\n<b>Warning</b>: algo\r\n'.repeat(30)), whole])],
  ['with 4 KB of noughts behind its end', Buffer.concat([whole, Buffer.alloc(4_096)])],
  ['with two megabytes behind its end', Buffer.concat([whole, Buffer.from('<p>gracias</p>\n'.repeat(140_000))])],
  ['whose table is not where it says', Buffer.from(text.replace(/startxref\n\d+/, 'startxref\n7'))],
  ['whose table is wrong', Buffer.from(text.replace(/\d{10} 00000 n/g, '0000000001 00000 n'))],
  ['without a table', Buffer.from(text.slice(0, text.indexOf('xref\n')))],
  ['whose pages do not say that they are', Buffer.from(text.replace('/Type /Page ', ''))],
  ['whose contents leave the page shrunk', classic('/MediaBox [0 0 300 400] /Contents [4 0 R 4 0 R]')],
])('a PDF %s gets the mark on every page, which keeps its content', async (_, original) => {
  await expectMarked(original)
})

test('pages deep in the page tree are marked over their visible rectangle', async () => {
  const nested = written([
    '<</Type /Catalog /Pages 2 0 R>>',
    '<</Type /Pages /Kids [3 0 R] /Count 1 /Rotate 90 /MediaBox [-50 -50 14350 14350]>>',
    '<</Type /Pages /Parent 2 0 R /Kids [4 0 R 4 0 R] /Count 2 /CropBox [100 200 20000 20000]>>',
    '<</Type /Page /Parent 3 0 R /Contents 5 0 R /Annots [<</Type /Annot /Subtype /Square /Rect [0 0 9 9]>>]>>',
    streamOf(CONTENT),
  ])
  const { pages } = await expectMarked(nested, CONTENT, '[ 100 200 14350 14350 ]')
  // A page used twice gets one mark; its earlier annotation stays below the mark.
  expect(pages.map(({ annotations }) => annotations)).toEqual([2, 2])
})

const sample = (name: string) => readFileSync(`tests/samples/pdf/${name}`)
const samples = readdirSync('tests/samples/pdf')
test.each(
  samples.filter((name) => name.startsWith('owner')),
)('a PDF that an owner’s password alone locks (%s) is opened, and marked', async (name) => {
  const locked = sample(name)
  expect(await asksForPassword(locked)).toBe(false)
  const { marked } = await expectMarked(locked, '(Constancia de estudios) Tj', '[ 0 0 612 792 ]')
  expect(marked.toString('latin1')).not.toMatch(/\/(Encrypt|ObjStm|XRef)\b/)
  expect(await disarmPdf(locked)).toEqual(locked)
})
test.each(
  samples.filter((name) => name.startsWith('user')),
)('a PDF that asks for a password (%s) is told from one that does not', async (name) => {
  expect(await asksForPassword(sample(name))).toBe(true)
  expect(await watermarkPdf(sample(name))).toBeUndefined()
})

test('a PDF that asks for a certificate counts as asking for a password', async () => {
  const lock = '/Encrypt <</Filter /Adobe.PubSec /V 4>> /ID [<00><00>]'
  expect(await asksForPassword(classic(undefined, '', lock))).toBe(true)
})

test('an unreadable PDF is not marked, and goes in a marked cover', async () => {
  const bad = [
    classic(undefined, '', '/Encrypt 9 0 R').subarray(0, 60),
    classic().subarray(0, 100),
    classic('/MediaBox [0 0'),
    Buffer.from('%PDF-1.7\nroto'),
    Buffer.from('<html>'),
    Buffer.alloc(0),
  ]
  for (const one of bad) expect(await watermarkPdf(one)).toBeUndefined()
  const cover = await coverPdf(bad[3]!)
  const [page] = await pagesOf(cover)
  expect(marksIn(page!.above)).toBeGreaterThan(10)
  const [attached] = (await PDFDocument.load(cover)).getAttachments()
  expect(Buffer.from(attached!.data)).toEqual(bad[3])
})

test('a page without a valid size is marked as a Letter sheet', async () => {
  for (const page of [
    '/Contents 4 0 R',
    '/Contents 4 0 R /MediaBox [0 0 0 0]',
    '/Contents 4 0 R /MediaBox [/a /b /c /d]',
  ])
    await expectMarked(classic(page), CONTENT, '[ 0 0 612 792 ]')
})

test('actions that run when a PDF is opened are removed, marked or not; a PDF without actions stays as it came', async () => {
  const script = '<</S /JavaScript /JS (app.alert\\("hola"\\))>>'
  const armedBy = (open: string, more: string) =>
    classic(
      `/MediaBox [0 0 300 400] /Contents 4 0 R ${more} <</O ${script}>>`,
      `${open} ${script} ${more} <</WC ${script}>> /Names <</JavaScript <</Names [(a) ${script}]>>>>`,
    )
  // PDF names may escape any character by its code, and mail programs append lines after the end.
  const disguised = Buffer.concat([armedBy('/Open#41ction', '/#41#41'), Buffer.from('x\r\n')])
  disguised.write('#50age ', disguised.indexOf('/Page   /Parent') + 1)
  for (const armed of [armedBy('/OpenAction', '/AA'), disguised])
    for (const shown of [await disarmPdf(armed), await watermarkPdf(armed)]) {
      expect(shown!.includes('(a \\) >> b)')).toBe(true)
      expect(shown!.toString('latin1')).not.toMatch(/JavaScript|ction|\/AA|#41/)
    }
  for (const quiet of [classic(), packed()]) expect(await disarmPdf(quiet)).toEqual(quiet)
})
