import { sql } from 'kysely'
import { retentionOf } from '#app/cms/edition-settings/data.server.ts'
import { elapsedMsSql } from '#app/core/db/clock-guard.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { earlierOf } from '#app/core/time/clock.server.ts'
import { DAY_MS } from '#app/core/time/durations.ts'

/** Minimum time between the announcement of an erasure and the erasure. */
export const ERASURE_NOTICE_MS = 3 * DAY_MS

/** Lists the editions with votes whose retention of voters' accounts has ended at a moment. */
export async function listDueEditions(db: Database, moment: Date) {
  const { rows } = await sql<{ edicion: number }>`select distinct edicion from banda_digital_votes`.execute(db)
  const retentions = await Promise.all(
    rows.map(async ({ edicion }) => ({ edicion, ...(await retentionOf(db, edicion)) })),
  )
  return retentions.filter(({ final, days }) => final.getTime() + days * DAY_MS <= moment.getTime())
}

/** Announces the erasures that are due within ERASURE_NOTICE_MS, and withdraws the announcements of all other editions. */
export async function announceErasures(
  services: Pick<Services, 'db' | 'clock'>,
  machineNow = new Date(),
): Promise<void> {
  const { db, clock } = services
  const dueEditions = await listDueEditions(db, new Date(earlierOf(clock, machineNow).getTime() + ERASURE_NOTICE_MS))
  const editions = dueEditions.map(({ edicion }) => edicion)
  await sql`delete from olvidos_anunciados where edicion <> all (${editions}::smallint[])`.execute(db)
  if (editions.length > 0)
    await db
      .insertInto('olvidos_anunciados')
      .values(editions.map((edition) => ({ edicion: edition, anunciado_at: machineNow, corrido_ms: elapsedMsSql })))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  await db.updateTable('olvidos_anunciados').set({ corrido_ms: elapsedMsSql }).where('corrido_ms', 'is', null).execute()
}

/** The announced erasure of an edition's voters. */
interface PlannedErasure {
  edition: number
  accountCount: number
  /** Earliest moment of the erasure. */
  firstDueAt: Date
  announcedAt: Date
  /** Moment at which an organiser put the erasure on hold; undefined without a hold. */
  heldAt: Date | undefined
}

/** Lists the announced erasures of voters' accounts; editions without such accounts are left out. */
export async function listPlannedErasures(db: Database): Promise<PlannedErasure[]> {
  const { rows } = await sql<{ edicion: number; count: number; anunciado_at: Date; detenido_at: Date | null }>`
    select a.edicion, a.anunciado_at, d.detenido_at, count(*) as count
    from olvidos_anunciados a
      join banda_digital_votes v on v.edicion = a.edicion
      join profiles p on p.id = v.user_id and p.role is null
      left join plazos_detenidos d on d.edicion = a.edicion
    group by a.edicion, a.anunciado_at, d.detenido_at order by a.edicion`.execute(db)
  return Promise.all(
    rows.map(async ({ edicion, count, anunciado_at, detenido_at }) => {
      const { final, days } = await retentionOf(db, edicion)
      return {
        edition: edicion,
        accountCount: count,
        firstDueAt: new Date(Math.max(final.getTime() + days * DAY_MS, anunciado_at.getTime() + ERASURE_NOTICE_MS)),
        announcedAt: anunciado_at,
        heldAt: detenido_at ?? undefined,
      }
    }),
  )
}
