import { sql } from 'kysely'
import { plazoDe } from '#app/cms/settings/data.server.ts'
import { CORRIDO } from '#app/core/db/clock-guard.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { earlierOf } from '#app/core/time/clock.server.ts'

const DAY_MS = 86_400_000
/** How long before they go the accounts of an edition's voters are announced. */
export const ANUNCIO_MS = 3 * DAY_MS

/** Editions whose voters' time has come. */
export async function dueAt(db: Database, moment: Date) {
  const { rows } = await sql<{ edicion: number }>`select distinct edicion from banda_digital_votes`.execute(db)
  const plazos = await Promise.all(rows.map(async ({ edicion }) => ({ edicion, ...(await plazoDe(db, edicion)) })))
  return plazos.filter(({ final, dias }) => final.getTime() + dias * DAY_MS <= moment.getTime())
}

/** Announces the editions whose voters' accounts go within `ANUNCIO_MS`; those whose days were changed, anew later. */
export async function announceOlvidos(
  services: Pick<Services, 'db' | 'clock'>,
  machineNow = new Date(),
): Promise<void> {
  const { db, clock } = services
  const soon = await dueAt(db, new Date(earlierOf(clock, machineNow).getTime() + ANUNCIO_MS))
  const ediciones = soon.map(({ edicion }) => edicion)
  await sql`delete from olvidos_anunciados where edicion <> all (${ediciones}::smallint[])`.execute(db)
  if (ediciones.length > 0)
    await db
      .insertInto('olvidos_anunciados')
      .values(ediciones.map((edicion) => ({ edicion, anunciado_at: machineNow, corrido_ms: CORRIDO })))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  await db.updateTable('olvidos_anunciados').set({ corrido_ms: CORRIDO }).where('corrido_ms', 'is', null).execute()
}

/** Accounts of voters that will go, by the edition that kept them; those without any left are not named. */
export async function listOlvidosPrevistos(
  db: Database,
): Promise<{ edicion: number; cuantas: number; desde: Date; anunciadoAt: Date; detenidoAt: Date | undefined }[]> {
  const { rows } = await sql<{ edicion: number; cuantas: number; anunciado_at: Date; detenido_at: Date | null }>`
    select a.edicion, a.anunciado_at, d.detenido_at, count(*) as cuantas
    from olvidos_anunciados a
      join banda_digital_votes v on v.edicion = a.edicion
      join profiles p on p.id = v.user_id and p.role is null
      left join plazos_detenidos d on d.edicion = a.edicion
    group by a.edicion, a.anunciado_at, d.detenido_at order by a.edicion`.execute(db)
  return Promise.all(
    rows.map(async ({ edicion, cuantas, anunciado_at, detenido_at }) => {
      const { final, dias } = await plazoDe(db, edicion)
      const desde = new Date(Math.max(final.getTime() + dias * DAY_MS, anunciado_at.getTime() + ANUNCIO_MS))
      return { edicion, cuantas, desde, anunciadoAt: anunciado_at, detenidoAt: detenido_at ?? undefined }
    }),
  )
}
