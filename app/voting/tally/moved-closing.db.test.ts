import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { huellaDe } from '#app/cms/publishing/publications.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { createVotacion, keepNombres } from '#app/voting/ballot/mutations.server.ts'
import { readCierre } from '#app/voting/record/schema.ts'
import { verifyActa } from '#app/voting/record/verification.ts'
import { openTestSite, type TestSite } from '../../../tests/registro.ts'
import { AUTOR, ELECCION, OPEN, TABLAS, vote } from '../../../tests/votos.ts'
import { listMovidos, moveCierre, putMovido } from './moved-closing.server.ts'
import { closeVote } from './mutations.server.ts'
import { ensureApertura } from './opening-record.server.ts'
import { actaLines } from './record-file.server.ts'
import { recount } from './recount.server.ts'
import { sealVotes } from './sealing.server.ts'

let site: TestSite
let services: Services
let now = OPEN

beforeAll(async () => {
  site = await openTestSite()
  services = { ...site.services, clock: { now: () => now } }
})
afterAll(() => site.close())
beforeEach(async () => {
  now = OPEN
  await site.database.pool.query(`truncate ${TABLAS}, ajustes, candidatas, publicaciones, ediciones cascade`)
})

const VIEJO = ELECCION.cierre
const TARDE = '2025-09-27T20:00:00-06:00'
const MOTIVO = 'Se fue la luz en todo el municipio.'

const plan = (ahora: string, { antes = VIEJO, motivo = MOTIVO } = {}) =>
  moveCierre(services, { edicion: 2025, antes, ahora, motivo })

/** A publication with this closing, which waits with its act to be shown. */
async function publish(ahora: string, acta?: object) {
  const valores = { 'edicion.yaml': { fechas: { cierreVotacion: ahora } } }
  const { id } = await services.db
    .insertInto('publicaciones')
    .values({
      ...{ edicion: 2025, origen: 'panel', huella: huellaDe(valores, {}), created_at: now },
      ...{ valores: JSON.stringify(valores), archivos: '{}', acta: acta ? JSON.stringify(acta) : null },
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const held = await services.db.transaction().execute((tx) => putMovido(tx, { id, edicion: 2025, valores }))
  const estado = held === undefined ? 'publicada' : 'fallida'
  await services.db.updateTable('publicaciones').set({ estado }).where('id', '=', id).execute()
  if (held === undefined)
    await services.db
      .insertInto('ediciones')
      .values({ anio: 2025, publicacion: id })
      .onConflict((one) => one.column('anio').doUpdateSet({ publicacion: id }))
      .execute()
  return held
}
async function move(ahora: string, antes = VIEJO): Promise<void> {
  const done = await plan(ahora, { antes })
  expect(done).toMatchObject({ ok: true, acta: expect.anything() })
  expect(await publish(ahora, done.ok ? done.acta : undefined)).toBeUndefined()
}
const begin = () => ensureApertura(services, ELECCION, now, null)
const count = (text: string) =>
  verifyActa(
    (async function* () {
      yield* text.split('\n')
    })(),
  )

test('before the act of zero the date is free; from then on it asks for a reason and gives warning, and a closed vote stays closed', async () => {
  expect(await plan(TARDE, { motivo: '' })).toEqual({ ok: true })
  await begin()
  expect(await plan('2025-09-26T05:59:00+00:00', { motivo: '' })).toEqual({ ok: true })
  const refused = async (ahora: string, some: { motivo?: string } = {}) => {
    const done = await plan(ahora, some)
    return done.ok ? '' : done.remedio
  }
  expect(await refused(TARDE, { motivo: '  corto ' })).toContain('escribe por qué')
  expect(await refused('2025-09-20T12:29:00-06:00')).toContain('al menos diez minutos después')
  expect(await refused('2025-09-01T12:00:00-06:00')).toContain('al menos diez minutos después')
  expect(await refused('2025-09-20T12:30:00-06:00')).toBe('')
  now = new Date('2025-09-26T00:00:00-06:00')
  expect(await refused(TARDE)).toContain('La votación ya cerró')
  expect(await listMovidos(services.db, 2025)).toEqual([])
})

test('a closing that is moved twice closes then: for votes, for the act and for whoever counts again', async () => {
  const votacion = createVotacion(services)
  await keepNombres(services, ELECCION)
  await publish(VIEJO)
  await begin()
  await vote(votacion, 0)
  await sealVotes(services, ELECCION)
  await move(TARDE)
  now = new Date('2025-09-26T12:00:00-06:00')
  const moved = { ...ELECCION, cierre: TARDE }
  expect(
    await votacion.cast(moved, { userId: 'tarde', correo: 'tarde@gmail.com', client: '10.9.9.9' }, { vote: 1 }),
  ).toMatchObject({ ok: true })
  // A process that has not heard of it neither takes votes nor closes the vote.
  expect(await vote(votacion, 1)).toEqual({ ok: false, reason: 'cerrada' })
  expect(await closeVote(services, ELECCION, AUTOR)).toEqual({ ok: false, reason: 'abierta' })
  await move('2025-09-27T18:00:00-06:00', TARDE)
  now = new Date('2025-09-27T18:30:00-06:00')
  // To one that has not heard of the earlier closing, the database says it.
  expect(await votacion.cast(moved, { userId: 'u', correo: 'u@gmail.com', client: '10.9.9.8' }, { vote: 1 })).toEqual({
    ok: false,
    reason: 'cerrada',
  })
  expect((await recount(services, moved)).fallas).toEqual([])
  const done = await closeVote(services, { ...ELECCION, cierre: '2025-09-27T18:00:00-06:00' }, AUTOR)
  const acta = readCierre(done.ok ? done.acta.contenido : '')
  expect(acta.movidos?.map(({ antes, ahora, motivo }) => [antes, ahora, motivo])).toEqual([
    [VIEJO, TARDE, MOTIVO],
    [TARDE, '2025-09-27T18:00:00-06:00', MOTIVO],
  ])
  expect((await recount(services, moved)).fallas).toEqual([])
  let text = ''
  for await (const piece of (await actaLines(services, 2025))!) text += piece
  expect((await count(text)).fallas).toEqual([])
  expect(text).not.toContain(`"${AUTOR.quien}"`)
  const faults = async (from: string, to: string) => (await count(text.replaceAll(from, to))).fallas
  expect(await faults(MOTIVO, 'Así lo quiso alguien.')).toContain(
    'Las actas del cierre movido no son las que el acta de cierre nombra.',
  )
  expect((await faults(`"numero":2,"anterior"`, `"numero":3,"anterior"`))[0]).toContain('no sigue a la anterior')
  expect(await plan('2025-10-27T18:00:00-06:00', { antes: '2025-09-27T18:00:00-06:00' })).toMatchObject({
    ok: false,
    remedio: expect.stringContaining('ya tiene su acta de cierre'),
  })
  // Who takes such an act away, or writes it anew, is found.
  await services.db.deleteFrom('actas').where('clase', '=', 'cierre-movido').where('numero', '=', 2).execute()
  expect((await recount(services, moved)).fallas).toEqual(
    expect.arrayContaining(['El acta de cierre nombra otras actas del cierre movido que las que hay.']),
  )
})

test('what has changed between the press and the showing is refused: a vote that began, an act that was sealed', async () => {
  await publish(VIEJO)
  expect(await publish(TARDE)).toBeUndefined()
  await begin()
  expect(await publish(VIEJO)).toContain('empezó la votación')
  const done = await plan(TARDE)
  await services.db
    .insertInto('actas')
    .values({
      ...{ edicion: 2025, clase: 'cierre', contenido: '{}', sello: '', quien: null, at: now },
      firma: Buffer.alloc(0),
    })
    .execute()
  expect(await publish(VIEJO, done.ok ? done.acta : undefined)).toContain('se selló el acta de cierre')
})
