import { deflateSync, inflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { calmarPdf, marcarPdf } from './pdf.server.ts'

const obj = (number: number, body: string) => `${number} 0 obj\n${body}\nendobj\n`
const CONTENT = 'BT /F1 12 Tf 72 700 Td (Acta) Tj ET'

/** A PDF of one page with a table of its objects, as PDF 1.4 has it. */
function classic(page = '/MediaBox [0 0 300 400] /Contents 4 0 R', extra = '', catalog = ''): Buffer {
  let text = '%PDF-1.4\n'
  const at: number[] = []
  const bodies = [
    `<</Type /Catalog /Pages 2 0 R ${catalog}>>`,
    '<</Type /Pages /Kids [3 0 R] /Count 1>>',
    `<</Type /Page   /Parent 2 0 R ${page} /Note (a \\) >> b)>>`,
    `<</Length ${CONTENT.length}>>\nstream\n${CONTENT}\nendstream`,
  ]
  for (const [index, body] of bodies.entries()) {
    at.push(text.length)
    text += obj(index + 1, body)
  }
  const rows = at.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const from = text.length
  text += `xref\n0 5\n0000000000 65535 f \n${rows}trailer\n<</Size 5 /Root 1 0 R ${extra}>>\nstartxref\n${from}\n%%EOF\n`
  return Buffer.from(text, 'latin1')
}

/** The same with its objects packed into a stream and its table as one, as PDF 1.5 has it. */
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
    Buffer.from(obj(4, `<</Length ${CONTENT.length}>>\nstream\n${CONTENT}\nendstream`)),
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

/** What the streams that were added draw. */
function drawn(marked: Buffer, original: Buffer): string {
  const added = marked.subarray(original.length)
  const texts: string[] = []
  for (let at = added.indexOf('stream\n'); at >= 0; at = added.indexOf('stream\n', at + 7)) {
    const before = added.subarray(0, at).toString('latin1')
    const length = /\/FlateDecode \/Length (\d+)>>\s*$/.exec(before)?.[1]
    if (length) texts.push(inflateSync(added.subarray(at + 7, at + 7 + Number(length))).toString())
  }
  return texts.join('\n')
}

test.each([
  ['1.4', classic()],
  ['1.5', packed()],
])('every page of a PDF %s gets the mark, and nothing that was there is touched', (_, original) => {
  const marked = marcarPdf(original)!
  expect(marked.subarray(0, original.length)).toEqual(original)
  const added = marked.subarray(original.length).toString('latin1')
  expect(added).toMatch(/\n3 0 obj\n<<[\s\S]*?\/Contents \[\d+ 0 R 4 0 R\s+\d+ 0 R\]/)
  expect(added).toContain('/Parent 2 0 R')
  const last = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(added)![1])
  expect(marked.subarray(last, last + 8).toString()).toMatch(/^(xref\n|\d+ 0 obj)/)
  // Each object stands where the new table says.
  for (const [, number, offset] of added.matchAll(/\n(\d+) 1\n(\d{10}) 00000 n/g))
    expect(marked.subarray(Number(offset)).toString('latin1', 0, 12)).toMatch(new RegExp(`^${number} 0 obj`))
  expect(drawn(marked, original).match(/ cm\n/g)!.length).toBeGreaterThan(10)
  // Marked again, it is marked twice: the result is a PDF like any other.
  expect(marcarPdf(marked)).toBeDefined()
})

test('what is encrypted, cut off, or none at all is not marked', () => {
  const bomb = packed()
  for (const bad of [
    classic(undefined, '/Encrypt 9 0 R'),
    classic().subarray(0, 200),
    classic('/MediaBox [0 0'),
    Buffer.from('%PDF-1.7\nroto'),
    Buffer.from('<html>'),
    Buffer.alloc(0),
    Buffer.concat([bomb.subarray(0, 250), Buffer.alloc(40), bomb.subarray(290)]),
  ])
    expect(marcarPdf(bad)).toBeUndefined()
})

const MANY = 40_000
test.each([
  ['dictionaries within dictionaries', `${'1 0 obj<<'.repeat(MANY)}${'>>'.repeat(MANY)}`],
  ['values that never end', '1 0 obj 7 '.repeat(MANY)],
  ['values that end in blanks', '1 0 obj 7                '.repeat(MANY)],
  [
    'types that all refer to one long text',
    `1 0 obj ${'#41'.repeat(MANY * 10)} endobj ${Array.from({ length: MANY }, (_, at) => `${at + 2} 0 obj<</Type 1 0 R>>`).join(' ')}`,
  ],
])('%s are read once, not once for each', (_, body) => {
  const text = `%PDF-1.4\n${body}`
  const trailer = `\nxref\n0 1\ntrailer\n<</Size 5 /Root 1 0 R>>\nstartxref\n${text.length + 1}\n%%EOF\n`
  expect(marcarPdf(Buffer.from(text + trailer, 'latin1'))).toBeUndefined()
})

test('packed objects that all claim the same bytes are not read', () => {
  const many = 20_000
  const pairs = Array.from({ length: many }, (_, at) => `${at + 10} ${at % 2 === 0 ? 0 : 900_000}`).join(' ')
  const body = `${pairs} <<${'/A 1 '.repeat(180_000)}>>`
  const zipped = deflateSync(body)
  const pack = `<</Type /ObjStm /N ${many} /First ${pairs.length + 1} /Filter /FlateDecode /Length ${zipped.length}>>`
  const extra = Buffer.concat([Buffer.from(`9 0 obj\n${pack}\nstream\n`), zipped, Buffer.from('\nendstream\nendobj\n')])
  const [begin, rest] = classic().toString('latin1').split('xref\n0 5')
  const at = begin!.length + extra.length
  const last = `xref\n0 5${rest!.replace(/startxref\n\d+/, `startxref\n${at}`)}`
  const whole = Buffer.concat([Buffer.from(begin!, 'latin1'), extra, Buffer.from(last, 'latin1')])
  expect(marcarPdf(whole)).toBeUndefined()
})

test('a page of no size, or an odd one, is marked as if it were a letter', () => {
  for (const page of ['/Contents 4 0 R', '/MediaBox [0 0 0 0]', '/MediaBox [a b c d]', '/MediaBox [1e9 0 2e9 5]'])
    expect(marcarPdf(classic(page))).toBeDefined()
})

test('what would run when a PDF is opened is taken out of it, marked or not; what runs nothing stays as it came', () => {
  const script = '<</S /JavaScript /JS (app.alert\\("hola"\\))>>'
  const armedBy = (open: string, more: string) =>
    classic(
      `/MediaBox [0 0 300 400] /Contents 4 0 R ${more} <</O ${script}>>`,
      '',
      `${open} ${script} ${more} <</WC ${script}>> /Names <</JavaScript <</Names [(a) ${script}]>>>>`,
    )
  const armed = armedBy('/OpenAction', '/AA')
  for (const shown of [calmarPdf(armed)!, marcarPdf(armed)!]) {
    const last = shown.subarray(armed.length).toString('latin1')
    expect(last).toMatch(/\n1 0 obj\n<<\/Type \/Catalog\n\/Pages 2 0 R>>\nendobj/)
    expect(last).toMatch(/\n3 0 obj\n<<\/Type \/Page/)
    expect(last).not.toMatch(/JavaScript|OpenAction|\/AA/)
  }
  // Any character of a name may be written as its number, and mail programs hang lines on behind the end.
  const disguised = Buffer.concat([armedBy('/Open#41ction', '/#41#41'), Buffer.from('x\r\n')])
  disguised.write('#50age ', disguised.indexOf('/Page   /Parent') + 1)
  for (const shown of [calmarPdf(disguised)!, marcarPdf(disguised)!]) {
    const last = shown.subarray(disguised.length).toString('latin1')
    expect(last).toMatch(/\n1 0 obj\n<<\/Type \/Catalog\n\/Pages 2 0 R>>\nendobj/)
    expect(last).toMatch(/\n3 0 obj\n<<\/Type \/#50age/)
    expect(last).not.toMatch(/JavaScript|ction|AA|#41/)
  }
  const odd = classic('/MediaBox [0 0 300 400] /Con#74ents 4 0 R /Una#20nota /Con#20espacio')
  expect(marcarPdf(odd)!.subarray(odd.length).toString('latin1')).toMatch(
    /\/Contents \[\d+ 0 R 4 0 R \d+ 0 R\]\n\/Una#20nota \/Con#20espacio/,
  )
  for (const quiet of [classic(), packed()]) expect(calmarPdf(quiet)).toEqual(quiet)
  expect(calmarPdf(Buffer.from('%PDF-1.4 roto'))).toBeUndefined()
})
