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
  return retentions.filter(({ final: finalAt, days }) => finalAt.getTime() + days * DAY_MS <= moment.getTime())
}

/** Announces the erasures that are due within ERASURE_NOTICE_MS, and withdraws the announcements of all other editions. */
export async function announceErasures(
  services: Pick<Services, 'db' | 'clock'>,
  machineNow = new Date(),
): Promise<void> {
  const { db, clock } = services
  const dueEditions = await listDueEditions(db, new Date(earlierOf(clock, machineNow).getTime() + ERASURE_NOTICE_MS))
  const dueYears = dueEditions.map(({ edicion }) => edicion)
  await sql`delete from olvidos_anunciados where edicion <> all (${dueYears}::smallint[])`.execute(db)
  if (dueYears.length > 0)
    await db
      .insertInto('olvidos_anunciados')
      .values(dueYears.map((year) => ({ edicion: year, anunciado_at: machineNow, corrido_ms: elapsedMsSql })))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  // A version from before migration 20260318 stored no running time with its announcements.
  await db.updateTable('olvidos_anunciados').set({ corrido_ms: elapsedMsSql }).where('corrido_ms', 'is', null).execute()
}

/** The announced erasure of an edition's voters. */
interface PlannedErasure {
  edition: number
  accountCount: number
  /** Earliest moment of the erasure, which also waits for the site's running time (`eraseVoters`) and the end of a hold. */
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
      const { final: finalAt, days } = await retentionOf(db, edicion)
      return {
        edition: edicion,
        accountCount: count,
        firstDueAt: new Date(Math.max(finalAt.getTime() + days * DAY_MS, anunciado_at.getTime() + ERASURE_NOTICE_MS)),
        announcedAt: anunciado_at,
        heldAt: detenido_at ?? undefined,
      }
    }),
  )
}
