import { afterAll, beforeAll, expect, test } from 'vitest'
import { changeState, correctContact } from '#app/entries/states/mutations.server.ts'
import { candidateFiles, seedBareEntries, seedEntry } from '#tests/support/entries/seeded-entries.ts'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import { listEntries, readEntry } from './data.server.ts'
import { listLikelyDuplicates } from './likely-duplicates.server.ts'
import { readNeighbours } from './neighbours.server.ts'
import type { EntryFilter } from './schema.ts'

let site: TestSite
beforeAll(async () => {
  site = await openTestSite()
})
afterAll(() => site.close())

const NOBODY = { quien: null, desde: 'terminal' }
const sow = (seed: Parameters<typeof seedEntry>[1]) => seedEntry(site.services, seed)

test('each entry of a list leads to the entries before and after it, and to the next one that waits for a decision', async () => {
  const { db } = site.services
  const edition = 2021
  const ids: number[] = []
  // Whole words as names: a digit could also match the beginning of another entry's folio.
  for (const [at, name] of ['Nopal', 'Maguey', 'Encino', 'Colorín', 'Jacaranda', 'Ceiba'].entries())
    ids.push(
      await sow({ edicion: edition, titular: `Vecina ${name}`, createdAt: new Date(Date.UTC(2021, 1, 1, 0, at)) }),
    )
  // One entry of the same moment as another, and one of the other form, which the filter leaves out.
  const twin = await sow({
    edicion: edition,
    titular: 'Vecina gemela',
    createdAt: new Date(Date.UTC(2021, 1, 1, 0, 2)),
  })
  await sow({ edicion: edition, tipo: 'traje', createdAt: new Date(Date.UTC(2021, 1, 1, 0, 3)) })
  const filter = { edition, type: 'candidata' } as const
  const shown = (await listEntries(db, filter)).rows.map(({ id }) => id)
  expect(shown).toEqual([ids[5], ids[4], ids[3], twin, ids[2], ids[1], ids[0]])
  for (const [at, id] of shown.entries()) {
    const { previous, next } = await readNeighbours(db, filter, id)
    expect([previous?.id, next?.id]).toEqual([shown[at - 1], shown[at + 1]])
  }

  const decide = (id: number, a: 'aceptada' | 'en-revision') =>
    changeState(db, { id, version: 1 }, { to: a, note: '' }, NOBODY)
  for (const id of [ids[4]!, ids[3]!, ids[0]!]) await decide(id, 'aceptada')
  const wait = async (id: number, more: Partial<EntryFilter> = {}) =>
    (await readNeighbours(db, { ...filter, ...more }, id)).nextWaiting?.id
  // Skips decided entries, and wraps from the end of the list to its beginning.
  expect(await wait(ids[5]!)).toBe(twin)
  expect(await wait(ids[0]!)).toBe(ids[5])
  await decide(twin, 'en-revision')
  expect(await wait(ids[4]!)).toBe(twin)
  // A filter on received entries leads to received entries, though the entry at hand is no longer one.
  expect(await wait(ids[4]!, { state: 'recibida' })).toBe(ids[2])
  expect(await wait(ids[4]!, { text: 'vecina maguey' })).toBe(ids[1])
  expect(await readNeighbours(db, filter, 999_999)).toEqual({})
})

test('likely duplicates are found by telephone, name and file, within the edition', async () => {
  const { db } = site.services
  const edition = 2022
  const record = candidateFiles()[0]!
  const withBirthCertificate = () => [record, ...candidateFiles().slice(1)]
  const mine = await sow({
    edicion: edition,
    titular: 'María  JOSÉ Núñez ',
    celular: '33 9090 1212',
    files: withBirthCertificate(),
  })
  const named = await sow({ edicion: edition, titular: 'maria jose nuñez', celular: '1' })
  const both = await sow({ edicion: edition, titular: 'Maria José Nuñez', celular: '+52 (33) 9090-1212' })
  const filed = await sow({ edicion: edition, titular: 'Otra', celular: '2', files: withBirthCertificate() })
  await sow({ edicion: edition, titular: 'María José Núñez Paz', celular: '33 9090 1213' })
  await sow({ edicion: 2023, titular: 'María José Núñez', celular: '33 9090 1212', files: withBirthCertificate() })
  const found = (await listLikelyDuplicates(db, mine)).map(({ id, reasons }) => [id, reasons])
  expect(found).toEqual([
    [both, ['nombre', 'celular']],
    [named, ['nombre']],
    [filed, ['archivo']],
  ])
  // Telephones of a single digit are not compared.
  expect((await listLikelyDuplicates(db, named)).map(({ id }) => id)).toEqual([mine, both])
  // An entry that is being deleted is not listed.
  await db
    .insertInto('borrados')
    .values({ inscripcion_id: both, acuse: 'B-AAAAA-BBBBB', bucket: 'registro', carpeta: 'x', motivo: 'solicitud' })
    .execute()
  expect((await listLikelyDuplicates(db, mine)).map(({ id }) => id)).toEqual([named, filed])
})

test('likely duplicates are looked up through indexes', async () => {
  const { pool } = site.database
  await seedBareEntries(pool, 20_000)
  const plans: string[] = []
  for (const where of [
    "telefonos_buscables(celular) @@ mismo_telefono('33 0000 0000')",
    "nombre_llano(titular) = 'ana nardo'",
  ]) {
    const { rows } = await pool.query(`explain select id from inscripciones where edicion = 2025 and ${where}`)
    plans.push(JSON.stringify(rows))
  }
  expect(plans[0]).toContain('inscripciones_telefonos')
  expect(plans[1]).toContain('inscripciones_nombre')
})

test('a contact correction changes the list and the form’s row; the log names only the fields', async () => {
  const { db } = site.services
  const id = await sow({ tipo: 'traje', titular: 'Rosa', celular: '33 1', correo: 'rosa@correo.exmaple' })
  const correct = (version: number, typedValues: Record<string, string>) =>
    correctContact(db, { id, version }, typedValues, NOBODY)
  expect(await correct(1, { email: 'rosa' })).toEqual({ ok: false, reason: 'contacto' })
  expect(await correct(1, { email: 'rosa@correo.exmaple' })).toEqual({ ok: false, reason: 'mismo-contacto' })
  // Fields other than the contact's are ignored.
  const both = { email: 'rosa@correo.example', celular: '33 1111 2222', nombre_disenador: 'Otra', folio: 'x' }
  expect(await correct(1, both)).toEqual({ ok: true })
  expect(await correct(1, both)).toMatchObject({ ok: false, reason: 'version' })
  const read = (await readEntry(db, id))!
  expect(read).toMatchObject({ titular: 'Rosa', celular: '33 1111 2222', correo: 'rosa@correo.example', version: 2 })
  expect(read.fields.map(({ text }) => text)).toEqual(expect.arrayContaining(['rosa@correo.example', '33 1111 2222']))
  expect(read.corrections.map(({ campo, antes, ahora }) => [campo, antes, ahora]).toSorted()).toEqual([
    ['celular', '33 1', '33 1111 2222'],
    ['correo', 'rosa@correo.exmaple', 'rosa@correo.example'],
  ])
  const log = await db.selectFrom('bitacora').select(['que', 'datos']).where('inscripcion', '=', id).execute()
  expect(log).toEqual([
    { que: 'inscripcion.contacto', datos: { campos: expect.arrayContaining(['celular', 'correo']) } },
  ])
})
