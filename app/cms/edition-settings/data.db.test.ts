import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Queen } from '#app/cms/editions/displayed-edition.server.ts'
import { type DisplayedEdition, loadEditionCard, withEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { insertPublication, setCurrentPublication } from '#app/cms/publishing/publications.server.ts'
import { freshDatabase, type TestDatabase } from '#tests/support/persistence/database.ts'
import { readEditionSettings, retentionOf } from './data.server.ts'
import { createPhases } from './phase.server.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

const set = (edition: number, name: string, value: unknown) =>
  database.db
    .insertInto('ajustes')
    .values({ edicion: edition, nombre: name, valor: JSON.stringify(value) })
    .onConflict((conflict) => conflict.columns(['edicion', 'nombre']).doUpdateSet({ valor: JSON.stringify(value) }))
    .execute()

test('settings come from the content, and from the organisers once they set them, for this edition only', async () => {
  const { db } = database
  const content = await readEditionSettings(db)
  expect(content).toMatchObject({ 'prensa.publica': false, 'privacidad.dias': 90 })
  expect(Date.parse(content['registro.trajes'].abre)).toBeLessThan(Date.parse(content['registro.trajes'].cierra))

  const period = { abre: '2025-08-01T00:00:00-06:00', cierra: '2025-08-02T00:00:00-06:00' }
  await set(2024, 'registro.trajes', period)
  expect(await readEditionSettings(db)).toEqual(content)
  await set(2025, 'registro.trajes', period)
  await set(2025, 'prensa.publica', true)
  expect(await readEditionSettings(db)).toEqual({ ...content, 'registro.trajes': period, 'prensa.publica': true })
})

test('an invalid value is ignored', async () => {
  const { db } = database
  const content = await readEditionSettings(db)
  for (const bad of [null, 'mañana', { abre: 'x', cierra: 'y' }, { abre: '2026-02-01', cierra: '2026-01-01' }]) {
    await set(2025, 'registro.candidatas', bad)
    expect((await readEditionSettings(db))['registro.candidatas'], String(bad)).toEqual(content['registro.candidatas'])
  }
})

test('each edition has a phase by its own content and its own settings, a draft of another year too', async () => {
  const { db } = database
  const card = await loadEditionCard()
  const displayed = (anio: number) =>
    ({
      edition: {
        anio,
        candidatas: [{ id: 'c3', nombre: 'Ana Lirio' }],
        popularidad: {},
        fechas: card.fechas,
        feria: card.feria,
      },
      documents: { 'edicion.yaml': { ...card, anio } },
    }) as unknown as DisplayedEdition
  await set(2025, 'votacion.ganadora', { candidata: 'Ana Lirio' })
  const courts = new Map<number, Queen[]>()
  const phases = createPhases(
    { db },
    { readCourts: async () => courts, readUnsealedYears: async () => new Set<number>() },
  )
  await phases.refresh()
  const yearsLater = new Date('2030-01-01T12:00:00-06:00')
  const callOf = (anio: number) => withEdition(displayed(anio), () => phases.at(yearsLater)?.llamado.que)
  expect(callOf(2025)).toBe('conocer-ganadora')
  expect(callOf(2026)).toBe('conocer-candidatas')
  // A published final has a queen, unless she has withdrawn from the edition.
  courts.set(2025, [{ id: 'c3', title: 'Señorita Azahares' }])
  courts.set(2026, [{ id: 'retirada', title: 'Señorita Azahares' }])
  await phases.refresh()
  expect(withEdition(displayed(2025), () => phases.at(yearsLater))).toMatchObject({
    llamado: { que: 'conocer-reina', resta: 'Señorita Azahares 2025' },
    reina: { nombre: 'Ana Lirio' },
  })
  expect(callOf(2026)).toBe('conocer-candidatas')
})

test('the retention of an edition that is no longer displayed counts from the final that it has published', async () => {
  const { db } = database
  expect((await retentionOf(db, 2024)).final).toEqual(new Date('2025-01-01T05:59:59.999Z'))
  const valores = { 'edicion.yaml': { fechas: { coronacion: '2024-09-26T21:00:00-06:00' } } }
  const at = new Date('2024-09-01T00:00:00Z')
  const id = await insertPublication(db, { edicion: 2024, valores, archivos: {}, origen: 'panel' }, 'publicada', at)
  await setCurrentPublication(db, { id, edicion: 2024 }, at)
  expect((await retentionOf(db, 2024)).final).toEqual(new Date('2024-09-26T21:00:00-06:00'))
})
