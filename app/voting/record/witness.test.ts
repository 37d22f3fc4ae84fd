import { describe, expect, test } from 'vitest'
import { receiptLetter } from '#app/voting/sealing/mails.server.ts'
import { publicKeyOf } from '#app/voting/sealing/record-signature.server.ts'
import { KEYED } from '#tests/support/mail/decrypted-mail.ts'
import { compose } from '#tests/support/mail/letters.ts'
import { fingerprintOf, forgeRecord, receiptOf } from '#tests/support/voting/forged-records.ts'
import type { PublishedBlock } from './schema.ts'
import { verifyFile } from './verification.ts'
import { readWitness, WITNESS_MESSAGES } from './witness.ts'

const GONE = { motivo: 'Cuentas creadas por un programa.', recibos: [fingerprintOf(receiptOf(3))] }
const SITE = { keyed: KEYED }
const KEY = publicKeyOf(SITE)
const RECORD_FILE = forgeRecord({ anuladas: [GONE], signedBy: SITE })
const BLOCKS = (JSON.parse(RECORD_FILE) as { cajas: PublishedBlock[] }).cajas.map(({ numero, papeletas, sello }) => ({
  numero,
  papeletas: papeletas.length,
  sello,
}))

const check = async (text: string | Uint8Array, name = 'testigo') => {
  const read = await readWitness(name, typeof text === 'string' ? new TextEncoder().encode(text) : text)
  if (!read.ok) return read.reason
  const { checkedWitnesses, faults } = await verifyFile(
    async function* () {
      yield new TextEncoder().encode(RECORD_FILE)
    },
    { witnesses: [read.witness] },
  )
  expect(faults).toEqual([])
  return checkedWitnesses[0]!
}
const seals = (change: object = {}) => JSON.stringify({ edicion: 2025, minimo: 200, cajas: BLOCKS, ...change })
const FITS = [
  'La caja 2 está en el acta como se publicó: número, votos y sello.',
  `El recibo ${receiptOf(7)} está en la caja 1, y su voto cuenta.`,
]

const quoted = (text: string) =>
  [...Buffer.from(text)]
    .map((byte) =>
      byte < 127 && byte > 31 && byte !== 61
        ? String.fromCharCode(byte)
        : byte === 10
          ? '\n'
          : `=${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .join('')
    .split('\n')
    .map((line) => line.replace(/(.{70})(?=.)/g, '$1=\n'))
    .join('\n')
const HEADERS = 'From: certamen@feria.example\nTo: ana@correo.mx\nSubject: Tu voto\nMIME-Version: 1.0\n'
const plain = (text: string, encoding = '8bit') =>
  `Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: ${encoding}\n\n${text}\n`
const html = (text: string) =>
  `Content-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: base64\n\n${Buffer.from(text)
    .toString('base64')
    .replace(/(.{76})/g, '$1\n')}\n`
const both = (one: string, other: string) =>
  `Content-Type: multipart/alternative; boundary="x"\n\n--x\n${one}--x\n${other}--x--\n`

describe('a mail with a receipt', async () => {
  const { text, html: page } = await compose(receiptLetter(receiptOf(7), BLOCKS[1], KEY))
  const mails: [string, string][] = [
    ['as text', HEADERS + plain(text)],
    ['in quoted-printable', HEADERS + plain(quoted(text), 'quoted-printable')],
    ['in base64', HEADERS + plain(Buffer.from(text).toString('base64'), 'base64')],
    ['as HTML alone', HEADERS + html(page)],
    ['in both forms', HEADERS + both(plain(quoted(text), 'quoted-printable'), html(page))],
    [
      'passed on, its lines broken and marked',
      HEADERS + plain(text.replace(/(.{40})(?=[0-9a-f])/g, '$1\n').replace(/^/gm, '')),
    ],
  ]
  test.each(mails)('fits the act %s, with either end of lines', async (_how, mail) => {
    for (const one of [mail, mail.replaceAll('\n', '\r\n')])
      expect(await check(one, 'recibo.eml')).toEqual({
        fileName: 'recibo.eml',
        confirmations: FITS,
        faults: [],
        isProof: true,
      })
  })

  test('says of an annulled vote why it does not count', async () => {
    const letter = await compose(receiptLetter(receiptOf(3), undefined, KEY))
    expect(await check(HEADERS + plain(letter.text))).toMatchObject({
      confirmations: [
        'No nombra ninguna caja: se escribió antes de cerrarse la primera.',
        `El recibo ${receiptOf(3)} está en la caja 1, y su voto fue anulado: Cuentas creadas por un programa.`,
      ],
      faults: [],
      // A file without a block, and without a fault, proves no publication.
      isProof: false,
    })
  })

  test.each([
    ['a receipt that the act lacks', receiptOf(9_999), BLOCKS[1]!, /^El recibo .* no está en el acta\.$/],
    [
      'another seal',
      receiptOf(7),
      { ...BLOCKS[1]!, sello: 'ab'.repeat(32) },
      /^La caja 2 tiene otro sello en el acta\.$/,
    ],
    [
      'another count',
      receiptOf(7),
      { ...BLOCKS[1]!, papeletas: 1_231 },
      /^La caja 2 se publicó con 1,231 votos y en el acta tiene 230 votos\.$/,
    ],
    [
      'a link that the act lacks',
      receiptOf(7),
      { ...BLOCKS[1]!, numero: 9 },
      /^Nombra la caja 9, que no está en el acta\.$/,
    ],
  ])('with %s does not fit', async (_what, receipt, block, found) => {
    const letter = await compose(receiptLetter(receipt, block, KEY))
    for (const body of [plain(letter.text), html(letter.html)]) {
      const done = await check(HEADERS + body)
      expect(typeof done === 'string' ? [done] : done.faults).toEqual([expect.stringMatching(found)])
    }
  })

  test('whose forms say two things does not fit', async () => {
    const other = await compose(receiptLetter(receiptOf(7), { ...BLOCKS[1]!, sello: 'ab'.repeat(32) }, KEY))
    const done = await check(HEADERS + both(plain(text), html(other.html)))
    expect(done).toMatchObject({ faults: ['La caja 2 tiene otro sello en el acta.'] })
  })
})

describe('a saved sellos.json', () => {
  test('fits the act, laid out anew as well', async () => {
    for (const text of [seals(), JSON.stringify(JSON.parse(seals()), null, 2), `\ufeff${seals()}`])
      expect(await check(text)).toMatchObject({
        confirmations: ['3 cajas están en el acta como se publicaron: número, votos y sello.'],
        faults: [],
      })
  })

  test.each([
    ['of another year', seals({ edicion: 2024 }), /^Es de la votación de 2024/],
    ['with another seal', seals({ cajas: [{ ...BLOCKS[0]!, sello: 'ab'.repeat(32) }] }), /^La caja 1 tiene otro sello/],
    ['with a link more', seals({ cajas: [...BLOCKS, { ...BLOCKS[2]!, numero: 4 }] }), /^Nombra la caja 4/],
    [
      'that says a link in two ways',
      seals({ cajas: [...BLOCKS, { ...BLOCKS[0]!, papeletas: 201 }] }),
      /^La caja 1 se publicó con 201 votos/,
    ],
  ])('%s does not fit', async (_what, text, found) => {
    const done = await check(text)
    expect(typeof done === 'string' ? [done] : done.faults).toEqual([expect.stringMatching(found)])
  })
})

test.each([
  ['nothing', '', 'unreadable'],
  ['another mail', `${HEADERS}${plain('Hola, ¿votaste?')}`, 'noEvidence'],
  ['another JSON', '{"otra": "cosa"}', 'unreadable'],
  ['half a JSON', '{"edicion": 2025,', 'unreadable'],
  ['seals of before the first link', seals({ cajas: [] }), 'noEvidence'],
  ['seals that say something twice', seals().replace('"minimo":200', '"minimo":9,"minimo":200'), 'repeated'],
])('a file with %s is no witness, and why is said', async (_what, text, reason) => {
  expect(await check(text)).toBe(reason)
  expect(WITNESS_MESSAGES[reason as keyof typeof WITNESS_MESSAGES]).toMatch(/\.$/)
})
