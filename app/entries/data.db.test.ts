import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TERMINAL } from '#app/audit/mutations.server.ts'
import { type DisplayedEdition, loadEdition, withEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { candidateFiles, seedBareEntries, seedEntry } from '#tests/support/entries/seeded-entries.ts'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import { countEntries, findEntryIdByFolio, listEntries, readEntry } from './data.server.ts'
import { findByFolio } from './folio.server.ts'
import type { EntryFilter } from './schema.ts'
import { changeState } from './states/mutations.server.ts'

let site: TestSite
beforeAll(async () => {
  site = await openTestSite()
})
afterAll(() => site.close())

const list = (filter: Partial<EntryFilter> = {}, from?: number, to?: number) =>
  listEntries(site.services.db, { edition: 2024, ...filter }, { olderThan: from, newerThan: to })
const names = async (filter: Partial<EntryFilter>) => (await list(filter)).rows.map(({ titular }) => titular)

describe('the organisers’ search of the list', () => {
  beforeAll(async () => {
    const sow = (seed: Parameters<typeof seedEntry>[1]) => seedEntry(site.services, { edicion: 2024, ...seed })
    await sow({ titular: 'Mariana Nardo Íñiguez', edad: 27, celular: '33 1234 5678' })
    await sow({ titular: "Lucía O'Hara Peña", edad: 18 })
    await sow({ titular: 'Ana Ceiba', edad: 17 })
    await sow({ tipo: 'traje', titular: '=cmd()', detalle: 'La Catrina', correo: 'taller@costura.example' })
    await sow({ titular: 'Otra edición', edicion: 2023 })
  })

  test('finds entries by the beginnings of words, without case or accents, by email, telephone and folio', async () => {
    expect(await names({ text: 'INIGUEZ mar' })).toEqual(['Mariana Nardo Íñiguez'])
    expect(await names({ text: 'peña' })).toEqual(["Lucía O'Hara Peña"])
    expect(await names({ text: "o'hara" })).toEqual(["Lucía O'Hara Peña"])
    for (const text of ['1234 56', '3312345678', '33-1234-5678', '33 12345678', '(33) 1234', '5678', '234 5678'])
      expect(await names({ text }), text).toEqual(['Mariana Nardo Íñiguez'])
    expect(await names({ text: 'catri' })).toEqual(['=cmd()'])
    expect(await names({ text: 'Taller@Costura.example' })).toEqual(['=cmd()'])
    expect(await names({ text: 'costura' })).toEqual(['=cmd()'])
    const [ana] = (await list({ text: 'ceiba' })).rows
    // The second and third folios begin like a number in scientific notation, which PostgreSQL would parse as one.
    for (const folio of [ana!.folio, '8E29-6A06-7A37', '9188-905E-74C2', '1234-5678-9012']) {
      await site.services.db.updateTable('inscripciones').set({ folio }).where('id', '=', ana!.id).execute()
      for (const typed of [folio.toLowerCase(), folio.slice(0, 11), folio.slice(0, 12), folio.replaceAll('-', '')])
        expect(await names({ text: typed }), typed).toEqual(['Ana Ceiba'])
    }
  })

  test('finds a name with accents or without, whichever way it was written', async () => {
    const edition = 2009
    for (const titular of ['Sofía García Núñez', 'SOFIA GARCIA NUNEZ', 'Sofi\u0301a Garci\u0301a Nu\u0301n\u0303ez'])
      await seedEntry(site.services, { edicion: edition, titular })
    for (const text of ['Garcia', 'García', 'GARCÍA', 'garci\u0301a', 'nuñez sofia', 'Nunez'])
      expect(await names({ edition, text }), text).toHaveLength(3)
  })

  test('finds a name by any of its words, also by one joined to another, and by the letter under any diacritic', async () => {
    for (const [at, [titular, ...words]] of [
      ['Ma.Guadalupe López', 'guadalupe', 'ma guadalupe', 'ma.guadalupe', 'lopez'],
      ['J.Jesús Sol/Luna', 'jesus', 'luna', 'sol/luna', 'sol luna'],
      ['Xōchitl Ñañez-Ruiz', 'xochitl', 'nanez', 'ruiz', 'ñañez-ruiz'],
    ].entries()) {
      const edition = 2010 + at
      await seedEntry(site.services, { edicion: edition, titular: titular! })
      for (const text of words) expect(await names({ edition, text }), text).toEqual([titular])
    }
  })

  test('finds nothing where no entry matches, and no operator of a tsquery takes effect', async () => {
    for (const text of ["'", '!', ':*', '&|', '<->', "ana' | 'zzz", '\\', 'ana & otra', '%', "');--"])
      expect(await names({ text }), text).toEqual([])
  })

  test('keeps to the filters and to one edition, newest first', async () => {
    expect(await names({})).toEqual(['=cmd()', 'Ana Ceiba', "Lucía O'Hara Peña", 'Mariana Nardo Íñiguez'])
    expect(await names({ type: 'traje' })).toEqual(['=cmd()'])
    expect(await names({ isOutsideAgeRange: true })).toEqual(['Ana Ceiba', 'Mariana Nardo Íñiguez'])
    expect(await names({ state: 'aceptada' })).toEqual([])
    expect((await countEntries(site.services.db, 2024)).candidata.recibida).toBe(3)
  })
})

test('pages follow one another without a gap or a repetition, while entries arrive', async () => {
  await seedBareEntries(site.database.pool, 2_130)
  const seen: number[] = []
  let page = await list({ edition: 2025 })
  for (;;) {
    seen.push(...page.rows.map(({ id }) => id))
    if (page.olderThan === undefined) break
    if (seen.length < 150)
      await seedEntry(site.services, { titular: 'Recién llegada', createdAt: new Date('2025-12-01') })
    page = await list({ edition: 2025 }, page.olderThan)
  }
  expect(seen).toHaveLength(2_130)
  expect(new Set(seen).size).toBe(2_130)
})

test('pages lead back in the same steps, the first page whole again; a deleted entry leads to the first page', async () => {
  const filter = { edition: 2025, state: 'aceptada' } as const
  const idsOf = async (from?: number, to?: number) => {
    const { rows, newerThan, olderThan } = await list(filter, from, to)
    return { ids: rows.map(({ id }) => id), newerThan, olderThan }
  }
  const first = await idsOf()
  expect(first.newerThan).toBeUndefined()
  const second = await idsOf(first.olderThan)
  const third = await idsOf(second.olderThan)
  expect(third.newerThan).toBe(third.ids[0])
  expect(await idsOf(undefined, third.newerThan)).toEqual(second)
  expect(await idsOf(undefined, second.newerThan)).toEqual({ ...first, newerThan: undefined })
  // The edge may be any entry, not only the first of a page.
  expect(await idsOf(undefined, second.ids[7])).toMatchObject({
    ids: [...first.ids.slice(7), ...second.ids.slice(0, 7)],
  })
  expect(await idsOf(undefined, first.ids[3])).toEqual(first)
  for (const gone of [await idsOf(999_999), await idsOf(undefined, 999_999)]) expect(gone).toEqual(first)
})

test('a common word is found like a rare one, newest first', async () => {
  // Every telephone begins with 33: more hits than the search resolves to ids.
  const common = await list({ edition: 2025, text: '33' })
  expect(common.rows.map(({ id }) => id)).toEqual((await list({ edition: 2025 })).rows.map(({ id }) => id))
  const next = await list({ edition: 2025, text: '33', state: 'aceptada' }, common.olderThan)
  expect(next.rows.every(({ id, estado }) => id < common.olderThan! && estado === 'aceptada')).toBe(true)
  const few = await list({ edition: 2025, text: 'maria colorin' })
  expect(few.rows.length).toBeGreaterThan(10)
  expect(few.rows.every(({ titular }) => /^Mar[ií]a(na)? Colorín/.test(titular))).toBe(true)
})

test('an entry is read with everything that was sent; an unknown id gives undefined', async () => {
  const id = await seedEntry(site.services, { tipo: 'traje', titular: '<b>Negritas</b>' })
  const found = await readEntry(site.services.db, id)
  expect(found).toMatchObject({ titular: '<b>Negritas</b>', estado: 'recibida', version: 1, history: [] })
  expect(found!.fields.map(({ text }) => text)).toContain('120 cm')
  expect(found!.documents.map(({ clase }) => clase)).toEqual(['bocetoFrontal', 'bocetoPosterior', 'identificacion'])
  expect(await readEntry(site.services.db, 999_999)).toBeUndefined()
})

test('a folio is found however it was typed, with letters that were taken for digits as well', async () => {
  const id = await seedEntry(site.services, { edicion: 2022 })
  await site.services.db.updateTable('inscripciones').set({ folio: '01AB-C0D1-1EF0' }).where('id', '=', id).execute()
  for (const typed of ['01AB-C0D1-1EF0', ' olab c0di lefo ', 'OIAB–C0D1—LEFO', '０１ＡＢＣ０Ｄ１１ＥＦ０'])
    expect(await findEntryIdByFolio(site.services.db, typed), typed).toBe(id)
  for (const none of ['', '01AB-C0D1-1EF', '01AB-C0D1-1EF1', '01AB_C0D1_1EF0', 'no es un folio'])
    expect(await findEntryIdByFolio(site.services.db, none), none).toBeUndefined()
})

test('an entry says when both sides of the credential are the same file', async () => {
  const { services } = site
  const files = candidateFiles()
  const twins = files.map((one) => (one.lado === 'reverso' ? { ...one, body: files[1]!.body } : one))
  const [twice, well, costume] = [
    await seedEntry(services, { files: twins }),
    await seedEntry(services, { files }),
    await seedEntry(services, { tipo: 'traje' }),
  ]
  expect((await readEntry(services.db, twice))!.hasIdenticalVoterCardSides).toBe(true)
  for (const id of [well, costume]) expect((await readEntry(services.db, id))!.hasIdenticalVoterCardSides).toBe(false)
})

test('the holder of a folio sees the steps of her entry, and when each was reached last', async () => {
  const { db } = site.services
  const id = await seedEntry(site.services, { edicion: 2008 })
  const at = (day: number) => new Date(`2025-08-0${day}T12:00:00Z`)
  for (const [index, to] of (['en-revision', 'aceptada', 'en-revision'] as const).entries())
    await changeState(db, { id, version: index + 1, at: at(index + 1) }, { to, note: '' }, TERMINAL)
  const { folio } = (await readEntry(db, id))!
  expect((await findByFolio(db, folio, new Date()))?.view).toMatchObject({
    paso: 1,
    pasos: [{ nombre: 'Recibida' }, { dia: '3 de agosto' }, { dia: 'Sigue' }, { dia: undefined }, { dia: undefined }],
  })
})

test('an accepted entry waits for the final, and reaches it when the final begins', async () => {
  const { db } = site.services
  const edition = await loadEdition()
  const id = await seedEntry(site.services, { edicion: edition.anio })
  await changeState(db, { id, version: 1, at: new Date('2025-08-05T12:00Z') }, { to: 'aceptada', note: '' }, TERMINAL)
  const { folio } = (await readEntry(db, id))!
  const viewAt = (now: string) =>
    withEdition({ edition } as DisplayedEdition, () => findByFolio(db, folio, new Date(now))).then((found) => ({
      paso: found!.view.paso,
      final: found!.view.pasos!.at(-1)!.dia,
      explicacion: found!.view.explicacion,
    }))
  expect(await viewAt('2025-09-26T12:00-06:00')).toEqual({
    paso: 3,
    final: 'Sigue: 27 de septiembre',
    explicacion: '¡Felicidades! El comité aceptó tu registro. Te buscará en tu celular.',
  })
  expect(await viewAt('2025-09-30T12:00-06:00')).toEqual({
    paso: 4,
    final: '27 de septiembre',
    explicacion: '¡Felicidades! El comité aceptó tu registro.',
  })
})
