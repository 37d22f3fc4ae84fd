import { sql } from 'kysely'
import { type Actor, writeAuditLog } from '#app/audit/mutations.server.ts'
import { retentionOf } from '#app/cms/edition-settings/data.server.ts'
import { loadEditionCard } from '#app/cms/editions/displayed-edition.server.ts'
import { elapsedMsSql } from '#app/core/db/clock-guard.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { earlierOf } from '#app/core/time/clock.server.ts'
import { DAY_MS } from '#app/core/time/durations.ts'

/** Minimum time between the announcement of a deletion by time and the deletion. */
export const DELETION_NOTICE_MS = 3 * DAY_MS
/** Most entries that `listDueEntries` lists at a time. */
export const DELETION_BATCH_SIZE = 100

type RetentionServices = Pick<Services, 'db' | 'clock'>

/** When an edition's entries are due for deletion: `days` after the final, or after the arrival of an entry that came later. */
export interface EntryRetention {
  edition: number
  final: Date
  days: number
  entryCount: number
  firstDueAt: Date
  lastDueAt: Date
}

/** Lists the retention of every edition that has entries, oldest first. */
export async function listRetentions(db: Database): Promise<EntryRetention[]> {
  const rows = await db
    .selectFrom('inscripciones')
    .select((eb) => [
      'edicion',
      eb.fn.countAll<number>().as('count'),
      eb.fn.min('created_at').as('first_at'),
      eb.fn.max('created_at').as('last_at'),
    ])
    .groupBy('edicion')
    .orderBy('edicion')
    .execute()
  return Promise.all(
    rows.map(async ({ edicion, count, first_at: firstAt, last_at: lastAt }) => {
      const { final, days } = await retentionOf(db, edicion)
      const dueAt = (arrivedAt: Date) => new Date(Math.max(final.getTime(), arrivedAt.getTime()) + days * DAY_MS)
      return {
        edition: edicion,
        final,
        days,
        entryCount: count,
        firstDueAt: dueAt(firstAt),
        lastDueAt: dueAt(lastAt),
      }
    }),
  )
}

/** Builds the query for the entries of an edition whose retention has ended at `now`, without those being deleted. */
const expiredEntries = (
  db: Database,
  { edition, final, days }: Pick<EntryRetention, 'edition' | 'final' | 'days'>,
  now: Date,
) =>
  db
    .selectFrom('inscripciones')
    .where('edicion', '=', edition)
    .where((eb) => eb.lit(final.getTime() + days * DAY_MS <= now.getTime()))
    .where('created_at', '<=', new Date(now.getTime() - days * DAY_MS))
    .where(sql<boolean>`not exists (select 1 from borrados where inscripcion_id = inscripciones.id)`)

/**
 * Counts the entries of the current edition whose retention has ended or ends within a day.
 * @param days the retention to count with
 */
export async function countExpiredEntries(
  services: Pick<Services, 'db' | 'clock'>,
  days: number,
  machineNow = new Date(),
): Promise<number> {
  const { anio: edition, fechas } = await loadEditionCard()
  const inOneDay = new Date(earlierOf(services.clock, machineNow).getTime() + DAY_MS)
  const { count } = await expiredEntries(services.db, { edition, final: new Date(fechas.coronacion), days }, inOneDay)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/**
 * Announces the deletions that are due within DELETION_NOTICE_MS. An announcement lapses when its deletion is not due within that
 * time any more, as after a longer retention or a later final, and is made anew in time.
 * @param machineNow the machine's clock
 * @returns the number of new announcements
 */
export async function announceDeletions({ db, clock }: RetentionServices, machineNow = new Date()): Promise<number> {
  const noticeEnd = new Date(earlierOf(clock, machineNow).getTime() + DELETION_NOTICE_MS)
  let announcedCount = 0
  for (const retention of await listRetentions(db)) {
    await db
      .deleteFrom('borrados_anunciados')
      .where('inscripcion_id', 'in', (eb) =>
        eb.selectFrom('inscripciones').select('id').where('edicion', '=', retention.edition),
      )
      .where('inscripcion_id', 'not in', expiredEntries(db, retention, noticeEnd).select('id'))
      .execute()
    const insertResult = await db
      .insertInto('borrados_anunciados')
      .columns(['inscripcion_id', 'anunciado_at', 'corrido_ms'])
      .expression(
        expiredEntries(db, retention, noticeEnd).select([
          'id',
          sql<Date>`${machineNow}::timestamptz`.as('at'),
          elapsedMsSql.as('corrido_ms'),
        ]),
      )
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst()
    announcedCount += Number(insertResult.numInsertedOrUpdatedRows ?? 0)
  }
  // For announcements that are older than the column, the running time counts from now.
  await db
    .updateTable('borrados_anunciados')
    .set({ corrido_ms: elapsedMsSql })
    .where('corrido_ms', 'is', null)
    .execute()
  return announcedCount
}

/**
 * Lists at most DELETION_BATCH_SIZE entries that may be deleted now: due, not on hold, and announced at least DELETION_NOTICE_MS
 * ago by the machine's clock and by the site's running time.
 * @param machineNow the machine's clock
 */
export async function listDueEntries({ db, clock }: RetentionServices, machineNow = new Date()): Promise<number[]> {
  const now = earlierOf(clock, machineNow)
  const heldEditions = await db.selectFrom('plazos_detenidos').select('edicion').execute()
  const dueIds: number[] = []
  for (const retention of await listRetentions(db)) {
    if (heldEditions.some(({ edicion }) => edicion === retention.edition)) continue
    const dueRows = await expiredEntries(db, retention, now)
      .innerJoin('borrados_anunciados', 'inscripcion_id', 'inscripciones.id')
      .where('anunciado_at', '<=', new Date(machineNow.getTime() - DELETION_NOTICE_MS))
      // The site must also have run for DELETION_NOTICE_MS since the announcement, which a jump of the clock cannot feign.
      .where(sql<boolean>`borrados_anunciados.corrido_ms + ${DELETION_NOTICE_MS}::bigint <= ${elapsedMsSql}`)
      .select('inscripciones.id')
      .orderBy('inscripciones.id')
      .limit(DELETION_BATCH_SIZE - dueIds.length)
      .execute()
    dueIds.push(...dueRows.map(({ id }) => id))
    if (dueIds.length === DELETION_BATCH_SIZE) break
  }
  return dueIds
}

/** An edition's announced deletions that are still to come. */
export interface PlannedDeletion {
  edition: number
  entryCount: number
  /** Earliest moment of the first deletion. */
  firstDueAt: Date
  /** Moment of the latest announcement. */
  announcedAt: Date
  /** Moment at which an organiser put the deletions on hold; undefined without a hold. */
  heldAt: Date | undefined
}

export async function listPlannedDeletions(db: Database): Promise<PlannedDeletion[]> {
  const retentionByEdition = new Map((await listRetentions(db)).map((retention) => [retention.edition, retention]))
  const rows = await db
    .selectFrom('borrados_anunciados')
    .innerJoin('inscripciones', 'inscripciones.id', 'inscripcion_id')
    .leftJoin('plazos_detenidos', 'plazos_detenidos.edicion', 'inscripciones.edicion')
    .select((eb) => [
      'inscripciones.edicion',
      'detenido_at',
      eb.fn.countAll<number>().as('count'),
      eb.fn.min('anunciado_at').as('first_announced_at'),
      eb.fn.max('anunciado_at').as('last_announced_at'),
    ])
    .groupBy(['inscripciones.edicion', 'detenido_at'])
    .orderBy('inscripciones.edicion')
    .execute()
  return rows.flatMap(({ edicion, count, first_announced_at, last_announced_at, detenido_at }) => {
    const retention = retentionByEdition.get(edicion)
    if (!retention) return []
    return [
      {
        edition: edicion,
        entryCount: count,
        firstDueAt: new Date(
          Math.max(retention.firstDueAt.getTime(), first_announced_at.getTime() + DELETION_NOTICE_MS),
        ),
        announcedAt: last_announced_at,
        heldAt: detenido_at ?? undefined,
      },
    ]
  })
}

/** Holds or resumes an edition's deletions by time: of entries, and of voters' accounts. The audit log keeps each change. */
export async function setRetentionHold(db: Database, edition: number, isHeld: boolean, actor: Actor): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const changedRows = isHeld
      ? await tx
          .insertInto('plazos_detenidos')
          .values({ edicion: edition, quien: actor.quien })
          .onConflict((conflict) => conflict.doNothing())
          .returning('edicion')
          .execute()
      : await tx.deleteFrom('plazos_detenidos').where('edicion', '=', edition).returning('edicion').execute()
    if (changedRows.length > 0)
      await writeAuditLog(tx, actor, { que: isHeld ? 'borrado.detenido' : 'borrado.seguido', edicion: edition })
  })
}
