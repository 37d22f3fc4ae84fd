import { sql } from 'kysely'
import { type Actor, writeAuditLog } from '#app/audit/mutations.server.ts'
import { loadEditionCard } from '#app/cms/editions/displayed-edition.server.ts'
import { retentionOf } from '#app/cms/settings/data.server.ts'
import { ELAPSED_MS } from '#app/core/db/clock-guard.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { earlierOf } from '#app/core/time/clock.server.ts'

const DAY_MS = 86_400_000
/** How long before its deletion an entry is announced. */
export const ADVANCE_NOTICE_MS = 3 * DAY_MS
export const BATCH = 100

type Work = Pick<Services, 'db' | 'clock'>

/** From when on the entries of an edition are deleted: its final, and so many days after it. */
export interface Retention {
  edicion: number
  final: Date
  dias: number
  /** Entries that there are. */
  cuantas: number
  /** When the first of them goes. */
  desde: Date
  /** When the last of them has gone. */
  hasta: Date
}

/** Every edition that has entries, oldest first. */
export async function listRetentions(db: Database): Promise<Retention[]> {
  const rows = await db
    .selectFrom('inscripciones')
    .select((eb) => [
      'edicion',
      eb.fn.countAll<number>().as('cuantas'),
      eb.fn.min('created_at').as('primera'),
      eb.fn.max('created_at').as('ultima'),
    ])
    .groupBy('edicion')
    .orderBy('edicion')
    .execute()
  return Promise.all(
    rows.map(async ({ edicion, cuantas, primera, ultima }) => {
      const { final, dias } = await retentionOf(db, edicion)
      const goes = (created: Date) => new Date(Math.max(final.getTime(), created.getTime()) + dias * DAY_MS)
      return { edicion, final, dias, cuantas, desde: goes(primera), hasta: goes(ultima) }
    }),
  )
}

/** Entries of an edition whose time has come, but for those that are being deleted. */
const expiredEntries = (
  db: Database,
  { edicion, final, dias }: Pick<Retention, 'edicion' | 'final' | 'dias'>,
  now: Date,
) =>
  db
    .selectFrom('inscripciones')
    .where('edicion', '=', edicion)
    .where((eb) => eb.lit(final.getTime() + dias * DAY_MS <= now.getTime()))
    .where('created_at', '<=', new Date(now.getTime() - dias * DAY_MS))
    .where(sql<boolean>`not exists (select 1 from borrados where inscripcion_id = inscripciones.id)`)

/**
 * How many entries of the current edition would be deleted at once, or within a day, were they kept so many days.
 * @param dias a whole number
 */
export async function countExpiredEntries(
  services: Pick<Services, 'db' | 'clock'>,
  dias: number,
  machineNow = new Date(),
): Promise<number> {
  const { anio: edition, fechas } = await loadEditionCard()
  const tomorrow = new Date(earlierOf(services.clock, machineNow).getTime() + DAY_MS)
  const { cuantas } = await expiredEntries(
    services.db,
    { edicion: edition, final: new Date(fechas.coronacion), dias },
    tomorrow,
  )
    .select((eb) => eb.fn.countAll<number>().as('cuantas'))
    .executeTakeFirstOrThrow()
  return cuantas
}

/**
 * Announces what will be deleted by time within `ADVANCE_NOTICE_MS`: an entry goes so long after it was announced, and no earlier.
 * What is not due any more, since somebody set another number of days, is announced anew when its time comes.
 * @returns how many were announced now
 */
export async function announceDeletions({ db, clock }: Work, machineNow = new Date()): Promise<number> {
  const soon = new Date(earlierOf(clock, machineNow).getTime() + ADVANCE_NOTICE_MS)
  let announced = 0
  for (const retention of await listRetentions(db)) {
    await db
      .deleteFrom('borrados_anunciados')
      .where('inscripcion_id', 'in', (eb) =>
        eb.selectFrom('inscripciones').select('id').where('edicion', '=', retention.edicion),
      )
      .where('inscripcion_id', 'not in', expiredEntries(db, retention, soon).select('id'))
      .execute()
    const made = await db
      .insertInto('borrados_anunciados')
      .columns(['inscripcion_id', 'anunciado_at', 'corrido_ms'])
      .expression(
        expiredEntries(db, retention, soon).select([
          'id',
          sql<Date>`${machineNow}::timestamptz`.as('at'),
          ELAPSED_MS.as('corrido_ms'),
        ]),
      )
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst()
    announced += Number(made.numInsertedOrUpdatedRows ?? 0)
  }
  await db.updateTable('borrados_anunciados').set({ corrido_ms: ELAPSED_MS }).where('corrido_ms', 'is', null).execute()
  return announced
}

/** Entries that may be deleted now: due, announced `ADVANCE_NOTICE_MS` ago, of which the site has seen all pass, held by nobody. @returns ids of some */
export async function listDueEntries({ db, clock }: Work, machineNow = new Date()): Promise<number[]> {
  const now = earlierOf(clock, machineNow)
  const held = await db.selectFrom('plazos_detenidos').select('edicion').execute()
  const found: number[] = []
  for (const retention of await listRetentions(db)) {
    if (held.some(({ edicion }) => edicion === retention.edicion)) continue
    const due = await expiredEntries(db, retention, now)
      .innerJoin('borrados_anunciados', 'inscripcion_id', 'inscripciones.id')
      .where('anunciado_at', '<=', new Date(machineNow.getTime() - ADVANCE_NOTICE_MS))
      // By the clock, and by what the site has really seen pass since.
      .where(sql<boolean>`borrados_anunciados.corrido_ms + ${ADVANCE_NOTICE_MS}::bigint <= ${ELAPSED_MS}`)
      .select('inscripciones.id')
      .orderBy('inscripciones.id')
      .limit(BATCH - found.length)
      .execute()
    found.push(...due.map(({ id }) => id))
    if (found.length === BATCH) break
  }
  return found
}

/** What was announced of an edition and has not gone yet. */
export interface PlannedDeletion {
  edicion: number
  cuantas: number
  /** The first moment at which some of them go. */
  desde: Date
  /** When the newest of them were announced. */
  anunciadoAt: Date
  /** Since when somebody holds it; undefined: nobody. */
  detenidoAt: Date | undefined
}

/** What will be deleted by time, by edition, as it was announced. */
export async function listPlannedDeletions(db: Database): Promise<PlannedDeletion[]> {
  const retentionPeriods = new Map((await listRetentions(db)).map((retention) => [retention.edicion, retention]))
  const rows = await db
    .selectFrom('borrados_anunciados')
    .innerJoin('inscripciones', 'inscripciones.id', 'inscripcion_id')
    .leftJoin('plazos_detenidos', 'plazos_detenidos.edicion', 'inscripciones.edicion')
    .select((eb) => [
      'inscripciones.edicion',
      'detenido_at',
      eb.fn.countAll<number>().as('cuantas'),
      eb.fn.min('anunciado_at').as('primero'),
      eb.fn.max('anunciado_at').as('ultimo'),
    ])
    .groupBy(['inscripciones.edicion', 'detenido_at'])
    .orderBy('inscripciones.edicion')
    .execute()
  return rows.flatMap(({ edicion, cuantas, primero, ultimo, detenido_at }) => {
    const retention = retentionPeriods.get(edicion)
    if (!retention) return []
    const from = new Date(Math.max(retention.desde.getTime(), primero.getTime() + ADVANCE_NOTICE_MS))
    return [{ edicion, cuantas, desde: from, anunciadoAt: ultimo, detenidoAt: detenido_at ?? undefined }]
  })
}

/** Holds what goes by time of an edition, entries and voters' accounts, or lets it go on; with a line of the log. */
export async function setRetentionHold(db: Database, edition: number, stop: boolean, actor: Actor): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const changed = stop
      ? await tx
          .insertInto('plazos_detenidos')
          .values({ edicion: edition, quien: actor.quien })
          .onConflict((conflict) => conflict.doNothing())
          .returning('edicion')
          .execute()
      : await tx.deleteFrom('plazos_detenidos').where('edicion', '=', edition).returning('edicion').execute()
    if (changed.length > 0)
      await writeAuditLog(tx, actor, { que: stop ? 'borrado.detenido' : 'borrado.seguido', edicion: edition })
  })
}
