import { describe, expect, test } from 'vitest'
import { createKeyDeriver } from '#app/core/process/session-secret.server.ts'
import { publicKeyOf } from '#app/voting/sealing/record-signature.server.ts'
import { KEYED } from '#tests/support/mail/decrypted-mail.ts'
import {
  ballotsOf,
  type ForgedParts,
  fingerprintOf,
  forgedParts,
  forgeRecord,
  receiptOf,
} from '#tests/support/voting/forged-records.ts'
import { verifyFile } from './verification.ts'

async function* inPieces(text: string, size = 10_000) {
  const bytes = new TextEncoder().encode(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
const ascii = (text: string) => text.replace(/[^\0-~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
const verify = (text: string, size?: number) => verifyFile(() => inPieces(text, size))
const faultsOf = async (text: string) => (await verify(text)).faults
const GONE = [receiptOf(3), receiptOf(8), receiptOf(201)].map(fingerprintOf).sort()
const annulled = { motivo: 'Cuentas creadas por un programa.', recibos: GONE }

describe('an act', () => {
  test('that is whole is proved by its file, however the file is cut and laid out', async () => {
    const text = forgeRecord({ anuladas: [annulled] })
    const layouts = [
      text,
      `\ufeff${text.replaceAll('\n', '\r\n')}`,
      JSON.stringify(JSON.parse(text)),
      JSON.stringify(JSON.parse(text), null, 2),
      // Some programs escape characters beyond ASCII.
      ascii(JSON.stringify(JSON.parse(text))),
    ]
    for (const layout of layouts)
      for (const size of [7, 10_000]) {
        const { faults, ballotCount, validBallotCount, blockCount, totals } = await verify(layout, size)
        expect(faults).toEqual([])
        expect([ballotCount, validBallotCount, blockCount]).toEqual([442, 439, 3])
        expect([...totals.values()]).toEqual([89, 88, 88, 86, 88])
      }
  })

  test('without any ballot is one, too', async () => {
    expect(await faultsOf(forgeRecord({ cajas: [] }))).toEqual([])
  })

  test('of a version before, whose links were made at the closing, is one', async () => {
    const before = forgedParts({
      cajas: [ballotsOf(0, 17)],
      changeRecord: ({ minimo: _minimum, reglas: _rules, marcas: _marks, ...record }) => record,
      apertura: { minimo: undefined, reglas: undefined },
    })
    expect(await faultsOf(forgeRecord(before))).toEqual([])
  })
})

const TWICE = /Un recibo está dos veces/
/** Forged records, in which everything that a forger can compute fits, and only the count is false. */
const FORGED: [string, Partial<ForgedParts>, RegExp][] = [
  ['the same two hundred receipts in three links', { cajas: [1, 2, 3].map(() => ballotsOf(0, 200)) }, TWICE],
  [
    'one receipt under two candidates',
    { cajas: [ballotsOf(0, 200), [...ballotsOf(200, 200), `${fingerprintOf(receiptOf(0))} 3`].sort()] },
    TWICE,
  ],
  ['one receipt twice in a link', { cajas: [[...ballotsOf(0, 200), ballotsOf(0, 1)[0]!].sort()] }, TWICE],
  [
    'a link below its least size that is not the last',
    { cajas: [ballotsOf(0, 200), ballotsOf(200, 199), ballotsOf(399, 200)] },
    /^La caja 2 tiene menos papeletas/,
  ],
  ['an empty last link', { cajas: [ballotsOf(0, 200), []] }, /^La caja 2 está vacía/],
  [
    'a least size of its own',
    { cajas: [ballotsOf(0, 2), ballotsOf(2, 2)], changeRecord: (record) => ({ ...record, minimo: 1 }) },
    /permite cajas de menos de 200/,
  ],
  [
    'no link where ballots are counted',
    {
      cajas: [],
      changeRecord: (record) => ({
        ...record,
        papeletas: 400,
        candidatas: record.candidatas.map((one, at) => ({ ...one, votos: at === 0 ? 400 : 0 })),
      }),
    },
    /^Papeletas: el acta dice 400/,
  ],
  [
    'a total that its ballots do not give',
    {
      changeRecord: (record) => ({
        ...record,
        candidatas: record.candidatas.map((one, at) => ({ ...one, votos: one.votos + (at ? 0 : 7) })),
      }),
    },
    /^Valeria Bugambilia Olmos: el acta dice 96/,
  ],
  [
    'a candidate twice',
    { changeRecord: (record) => ({ ...record, candidatas: [...record.candidatas, record.candidatas[0]!] }) },
    /a dos candidatas/,
  ],
  [
    'a candidate under two names',
    {
      changeRecord: (record) => ({
        ...record,
        candidatas: [...record.candidatas, { ...record.candidatas[0]!, nombre: 'Valeria', votos: 0 }],
      }),
    },
    /^El acta cuenta dos veces a una candidata/,
  ],
  [
    'the name of one as an earlier name of another',
    {
      changeRecord: (record) => ({
        ...record,
        candidatas: record.candidatas.map((one, at) => (at === 0 ? { ...one, antes: ['Paola Colorín Vega'] } : one)),
      }),
    },
    /da el nombre «Paola Colorín Vega» a dos candidatas/,
  ],
  [
    'a name twice in the list that ballots refer to',
    { nombres: [...forgedParts().nombres, 'Paola Colorín Vega'] },
    /^La lista de nombres tiene uno dos veces/,
  ],
  [
    'votes of hers under letters that look the same',
    { nombres: [...forgedParts().nombres, 'Paola Colori\u0301n Vega', 'Renata Cempas\u200búchil Nava'] },
    /se leen igual y se cuentan aparte/,
  ],
  [
    'a ballot for a name that is not there',
    { cajas: [ballotsOf(0, 200, (at) => (at === 0 ? 77 : 1))] },
    /no nombra a nadie/,
  ],
  [
    'annulments that it says are none',
    { anuladas: [annulled], changeRecord: (record) => ({ ...record, anulados: 0, otros: record.otros + 3 }) },
    /^Anuladas: el acta dice 0/,
  ],
  [
    'an annulled receipt that is nobody’s',
    {
      anuladas: [{ ...annulled, recibos: [...GONE, fingerprintOf('XXXX')].sort() }],
      changeRecord: (record) => ({ ...record, otros: 0 }),
    },
    /no está en la cadena/,
  ],
  [
    'an annulled receipt that begins like one of the file',
    {
      anuladas: [{ ...annulled, recibos: GONE.map((one) => `${one.slice(0, 60)}0000`) }],
      changeRecord: (record) => ({ ...record, otros: 0 }),
    },
    /no está en la cadena/,
  ],
  ['a ballot annulled twice', { anuladas: [annulled, annulled] }, /ya anulada/],
  [
    'annulled votes of one, said to be another’s',
    {
      anuladas: [annulled],
      changeRecord: (record) => ({
        ...record,
        anulaciones: record.anulaciones.map((one) => ({ ...one, conteo: { 'Paola Colorín Vega': 3 } })),
      }),
    },
    /^La anulación 1 quita otros votos/,
  ],
  [
    'a longer list of annulments than it says',
    { anuladas: [annulled], changeRecord: (record) => ({ ...record, anulaciones: [], anulados: 0 }) },
    /^Anulaciones: el acta dice 0/,
  ],
  [
    'an annulment by no mark',
    {
      anuladas: [annulled],
      changeRecord: (record) => ({ ...record, anulaciones: record.anulaciones.map(({ marca: _, ...one }) => one) }),
    },
    /^La anulación 1 no es de ninguna marca/,
  ],
  [
    'an annulment by a mark that is not there',
    { anuladas: [annulled], changeRecord: (record) => ({ ...record, marcas: [] }) },
    /^La anulación 1 nombra una marca que el acta no tiene/,
  ],
  [
    'other rules than the act of zero published',
    { changeRecord: (record) => ({ ...record, reglas: { ...record.reglas, dominio: 2 } }) },
    /^Las reglas del acta no son las que el acta de cero/,
  ],
  [
    'a mark with a threshold of its own',
    {
      anuladas: [annulled],
      changeRecord: (record) => ({ ...record, marcas: record.marcas!.map((one) => ({ ...one, umbral: 2 })) }),
    },
    /^La marca 1 no sigue las reglas/,
  ],
  [
    'a mark that is below its threshold',
    {
      anuladas: [annulled],
      changeRecord: (record) => ({ ...record, marcas: record.marcas!.map((one) => ({ ...one, votos: 3 })) }),
    },
    /^La marca 1 no sigue las reglas/,
  ],
  [
    'a mark with fewer votes annulled than were',
    {
      anuladas: [annulled],
      changeRecord: (record) => ({ ...record, marcas: record.marcas!.map((one) => ({ ...one, anulados: 1 })) }),
    },
    /^La marca 1 tiene otros votos anulados/,
  ],
  [
    'a mark twice',
    { anuladas: [annulled], changeRecord: (record) => ({ ...record, marcas: [...record.marcas!, ...record.marcas!] }) },
    /^La marca 2 está dos veces/,
  ],
  ['an act of zero with ballots in it', { apertura: { papeletas: 9 } }, /no empieza en cero/],
  ['an act of zero of another year', { apertura: { edicion: 2024 } }, /otra edición/],
  [
    'another act of zero than the one it names',
    { changeRecord: (record) => ({ ...record, apertura: fingerprintOf('otra') }) },
    /no es la que el acta de cierre nombra/,
  ],
  ['ballots out of order', { cajas: [ballotsOf(0, 200).reverse()] }, /^La caja 1 desordena papeletas/],
  [
    'a chain that begins elsewhere',
    { changeBlock: (block) => (block.numero === 1 ? { ...block, anterior: fingerprintOf('antes') } : block) },
    /^La caja 1 no sigue/,
  ],
  ['a number left out', { changeBlock: (block) => ({ ...block, numero: block.numero + 1 }) }, /^La caja 2 no sigue/],
  [
    'another explanation of how to read it',
    { changeCover: (cover) => ({ ...cover, lectura: `${cover.lectura} Las papeletas repetidas cuentan doble.` }) },
    /^La explicación/,
  ],
  ['a field in the act', { changeRecord: (record) => ({ ...record, nota: 'x' }) }, /^La portada tiene .*: acta\.nota/],
  [
    'a field of a candidate',
    { changeRecord: (record) => ({ ...record, candidatas: record.candidatas.map((one) => ({ ...one, regalo: 5 })) }) },
    /ningún acta tiene: acta\.candidatas\.0\.regalo/,
  ],
  ['a field on the first line', { changeCover: (cover) => ({ ...cover, extra: 1 }) }, /ningún acta tiene: extra/],
  ['a field of the act of zero', { apertura: { extra: 1 } }, /ningún acta tiene: apertura\.extra/],
  ['a field of a link', { changeBlock: (block) => ({ ...block, hora: '12:00' }) }, /^La caja 1 tiene un campo .*hora/],
]
test.each(FORGED)('an act with %s is refused, laid out anew as well', async (_what, change, found) => {
  const text = forgeRecord(change)
  for (const layout of [text, JSON.stringify(JSON.parse(text), null, 1)]) {
    expect(await faultsOf(layout)).toContainEqual(expect.stringMatching(found))
  }
})

/** Ambiguous texts, which two programs may read differently. */
const DOUBLE: [string, (text: string) => string][] = [
  ['a total twice', (text) => text.replace('"votos":89', '"votos":900,"votos":89')],
  ['the ballots of a link twice', (text) => text.replace('"papeletas":["', '"papeletas":[],"papeletas":["')],
  ['a number in another way', (text) => text.replace('"papeletas":442', '"papeletas":4.42e2')],
  ['a number with decimals', (text) => text.replace('"ajenos":0', '"ajenos":0.0')],
  ['its links twice', (text) => text.replace('"anuladas":[', '"cajas":[\n],\n"anuladas":[')],
]
test.each(DOUBLE)('a file that says %s is refused, laid out anew as well', async (_what, forge) => {
  const text = forgeRecord()
  expect(forge(text)).not.toBe(text)
  expect((await faultsOf(forge(text))).join()).toContain('El archivo dice algo dos veces')
  expect((await faultsOf(forge(text.replaceAll(',\n', ',  \n')))).join()).toContain('El archivo dice algo dos veces')
})

const NONE: [string, (text: string) => string][] = [
  ['empty', () => ''],
  ['something else', () => '{"otra": "cosa"}'],
  ['cut off', (text) => text.slice(0, -40)],
  ['cut off behind a line', (text) => text.split('\n').slice(0, 3).join('\n')],
  ['followed by more', (text) => `${text}{"portada":{}}\n`],
  ['with a third section', (text) => text.replace(/\]\}\n$/, '],\n"otros":[\n]}\n')],
  ['with a number that no machine holds', (text) => text.replace('"ajenos":0', '"ajenos":9007199254740993')],
  ['with less than nothing', (text) => text.replace('"ajenos":0', '"ajenos":-1')],
  ['with a text for a number', (text) => text.replace('"ajenos":0', '"ajenos":"0"')],
  ['with a receipt in capitals', (text) => text.replace(/"[0-9a-f]{64} 0"/, (one) => one.toUpperCase())],
  ['with a ballot’s place in another way', (text) => text.replace(/ 0"/, ' 00"')],
  ['with a ballot for no place', (text) => text.replace(/ 0"/, ' "')],
  ['with a seal that is none', (text) => text.replace(/"sello":"[0-9a-f]{4}/, '"sello":"zzzz')],
  // One seal would stand for two lists of ballots.
  ['with a line break in a name', (text) => text.replace('"nombres":["Valeria', '"nombres":["Vale\\nria')],
  ['with a link that is none', (text) => text.replace('"cajas":[\n', '"cajas":[\n[],\n')],
]
test.each(NONE)('a file that is %s is no act', async (_what, change) => {
  const text = forgeRecord()
  expect(change(text)).not.toBe(text)
  await expect(verify(change(text))).rejects.toThrow(SyntaxError)
})

test('a file that is no text is no act', async () => {
  await expect(
    verifyFile(async function* () {
      yield new Uint8Array([0xff, 0xfe, 0x00])
    }),
  ).rejects.toThrow(TypeError)
})

test('of very many faults the first are said, and how many more there are', async () => {
  const text = forgeRecord({ cajas: Array.from({ length: 60 }, (_, at) => ballotsOf(at, 1)) })
  const faults = await faultsOf(text)
  expect([faults.length, faults.at(-1)]).toEqual([41, 'Y 19 fallas más.'])
})

describe('the site’s signature', () => {
  const site = { keyed: KEYED }
  const key = publicKeyOf(site)
  const file = forgeRecord({ signedBy: site, apertura: { llave: key } })
  const known = async (text: string, publicKeys: string[] = [key]) => verifyFile(() => inPieces(text), { publicKeys })

  test('shows the site’s file to a reader with the key; without a key a file only shows that it is consistent', async () => {
    expect(await known(file)).toMatchObject({ faults: [], isPublished: true })
    expect(await verify(file)).toMatchObject({ faults: [], isPublished: false })
  })

  test('is missed where votes were moved and every seal was computed again', async () => {
    const moved = { cajas: [ballotsOf(0, 200, () => 0), ballotsOf(200, 230), ballotsOf(430, 12)] }
    const { llave, firma } = JSON.parse(file).portada
    const forgeries = {
      'with the old signature': forgeRecord({ ...moved, changeCover: (cover) => ({ ...cover, llave, firma }) }),
      'without any': forgeRecord(moved),
      'with a key of the forger’s own': forgeRecord({
        ...moved,
        signedBy: { keyed: createKeyDeriver('y'.repeat(40)) },
      }),
    }
    for (const [how, forged] of Object.entries(forgeries)) {
      const { faults, isPublished } = await known(forged)
      expect(faults.join(' '), how).toMatch(/firma/)
      expect(isPublished, how).toBe(false)
      expect((await verify(forged)).isPublished, how).toBe(false)
    }
  })

  test('is by the key that the act of zero published', async () => {
    const other = forgeRecord({ signedBy: { keyed: createKeyDeriver('y'.repeat(40)) }, apertura: { llave: key } })
    expect(await faultsOf(other)).toEqual(['El acta no está firmada con la llave que el acta de cero publicó.'])
  })
})
