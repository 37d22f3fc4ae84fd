import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { seedEntry } from '#tests/support/entries/seeded-entries.ts'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import { listEntries, readEntry } from './data.server.ts'
import { listLikelyDuplicates } from './likely-duplicates.server.ts'

let site: TestSite
beforeAll(async () => {
  site = await openTestSite()
})
afterAll(() => site.close())

/** Spellings of one telephone number. */
const SPELLINGS = [
  '33 2222 1111',
  '3322221111',
  '+52 33 2222 1111',
  '+523322221111',
  '52 33 2222 1111',
  '(+52) 33 2222 1111',
  '+52 1 33 2222 1111',
  '5213322221111',
  '005233 2222 1111',
  '00 52 1 33 2222 1111',
  '044 33 2222 1111',
  '045-33-2222-1111',
  '+52 044 33 2222 1111',
  '01 33 2222 1111',
  '01(33)22221111',
  '+52 (01) 33 2222 1111',
  '(33) 2222-1111',
  '33.2222.1111',
  '33-2222-1111 ext. 4',
  '33 2222 1111 x1234',
  'Cel. 33 2222 1111',
  '33/2222/1111',
  '3322221111 / 3322221112',
  '33 2222 1111 y 33 2222 1112',
  '+523322221111 +523322221112',
  '3322221111 3322221112',
  '３３２２２２１１１１',
  '＋５２　３３　２２２２　１１１１',
  '٣٣٢٢٢٢١١١١',
  '۳۳ ۲۲۲۲ ۱۱۱۱',
  '\u202a+52\u00a033\u00a02222\u20111111\u202c',
  '33\u200b2222\u00ad1111',
]

const dial = async (phone: string) => {
  const { rows } = await sql<{ telefonos: string[] }>`select telefonos_de(${phone}) as telefonos`.execute(
    site.services.db,
  )
  return rows[0]!.telefonos
}

test.each(SPELLINGS)('%j is the number +52 33 2222 1111', async (phone) => {
  expect((await dial(phone))[0]).toBe('+523322221111')
})

test.each([
  ['3322221111 / 3322221112', ['+523322221111', '+523322221112']],
  ['33 2222 1111, 0445512345678', ['+523322221111', '+525512345678']],
  ['+1 310 555 0100', ['+13105550100']],
  ['001 310 555 0100', ['+13105550100']],
  ['+34 612 345 678', ['+34612345678']],
  ['2222 1111', ['22221111']],
  // Without a plus sign the country is unknown.
  ['1 310 555 0100', ['13105550100']],
  ['+52 2222 1111', ['5222221111']],
  ['1234', []],
  ['no tengo', []],
  ['', []],
])('%j holds %j', async (phone, phones) => {
  expect(await dial(phone)).toEqual(phones)
})

describe('entries', () => {
  const edition = 2014
  const ids: number[] = []
  const found = async (text: string) =>
    (await listEntries(site.services.db, { edition, text })).rows.map(({ id }) => id).toSorted((a, b) => a - b)

  beforeAll(async () => {
    for (const phone of SPELLINGS)
      ids.push(await seedEntry(site.services, { edicion: edition, titular: 'Ana Ceiba', celular: phone }))
    await seedEntry(site.services, { edicion: edition, titular: 'Otra Ceiba', celular: '81 2222 1111' })
  })

  test('are found in any spelling by any spelling', async () => {
    for (const text of SPELLINGS) expect(await found(text), text).toEqual(ids)
    for (const text of ['ceiba +52 1 33 2222 1111', '+52 1 33 2222 1111 ana', '3322', '332222', '+52 33 22'])
      expect(await found(text), text).toEqual(ids)
    for (const text of ['1111', '2222-1111', '２２２２１１１１'])
      expect(await found(text), text).toHaveLength(ids.length + 1)
    for (const text of ['otra 3322221111', '33 2222 1113']) expect(await found(text), text).toEqual([])
    expect(await found('33 2222 1112')).toHaveLength(4)
  })

  test('are likely duplicates by their number, however it was written', async () => {
    const [first] = ids
    await seedEntry(site.services, { edicion: 2015, celular: '5522221111', titular: 'Una' })
    for (const phone of SPELLINGS.slice(0, 3)) {
      const id = await seedEntry(site.services, {
        edicion: 2015,
        titular: `De ${phone}`,
        celular: '+52 1 55 2222 1111',
      })
      expect(
        (await listLikelyDuplicates(site.services.db, id)).some(({ reasons }) => reasons.includes('celular')),
      ).toBe(true)
    }
    expect(
      (await listLikelyDuplicates(site.services.db, first!)).every(({ reasons }) => reasons.includes('celular')),
    ).toBe(true)
    expect((await readEntry(site.services.db, first!))!.telefono).toBe('+523322221111')
  })
})
