import { sql } from 'kysely'
import { plazoDe, readAjustes } from '#app/ajustes/data.server.ts'
import { forgetCorreosA } from '#app/correo/mutations.server.ts'
import { earlierOf } from '#app/platform/clock.server.ts'
import type { Database } from '#app/platform/database.server.ts'
import { forgetMail, outboxOf } from '#app/platform/mail-folder.server.ts'
import { mayDeleteByTime, verReloj } from '#app/platform/reloj-visto.server.ts'
import type { Services } from '#app/platform/services.server.ts'

const DAY_MS = 86_400_000
/** How long before they go the accounts of an edition's voters are announced. */
const ANUNCIO_MS = 3 * DAY_MS
const SWEEP_MS = 60 * 60_000
const BATCH = 500

type Trabajo = Pick<Services, 'db' | 'clock' | 'settings' | 'log'>

/**
 * Deletes the accounts of voters whose time has come: so many days after the final of the last edition that they voted
 * in; of those that never voted, so many after they were made. With an account go its sessions, what Google said of it,
 * and its mail. Those of an edition go only when that was announced long enough ago and nobody holds it. Its votes stay as they were signed, so that every count can be checked as before: what they have left is
 * an id that leads to nobody any more.
 * @returns how many
 * @source content/2025/privacidad.yaml «Votación»
 */
export async function forgetVotantes(services: Trabajo, machineNow = new Date()): Promise<number> {
  const { db, settings } = services
  const now = earlierOf(services.clock, machineNow)
  const ripe = await db
    .selectFrom('olvidos_anunciados')
    .select('edicion')
    .where('anunciado_at', '<=', new Date(machineNow.getTime() - ANUNCIO_MS))
    .where('edicion', 'not in', (eb) => eb.selectFrom('plazos_detenidos').select('edicion'))
    .execute()
  const due = (await dueAt(db, now)).filter(({ edicion }) => ripe.some((one) => one.edicion === edicion))
  const { 'privacidad.dias': dias } = await readAjustes(db)
  let forgotten = 0
  for (;;) {
    const { rows } = await db.transaction().execute(async (tx) => {
      const gone = await sql<{ email: string }>`
        delete from profiles where id in (
          select p.id from profiles p
          where p.role is null and p.baja_at is null
            -- Nothing keeps it: no vote of an edition whose time has not come, or that is not sealed yet.
            and not exists (
              select from banda_digital_votes v where v.user_id = p.id
                and (v.lote is null or v.edicion <> all (${due.map(({ edicion }) => edicion)}::smallint[]))
            )
            and (
              exists (select from banda_digital_votes v where v.user_id = p.id)
              or p.created_at <= ${new Date(now.getTime() - dias * DAY_MS)}
            )
          order by p.id limit ${BATCH} for update of p
        )
        returning email`.execute(tx)
      if (gone.rows.length > 0) {
        const mails = await forgetCorreosA(
          tx,
          gone.rows.map(({ email }) => email),
        )
        await forgetMail(outboxOf(settings.dataDir), mails)
      }
      return gone
    })
    forgotten += rows.length
    if (rows.length < BATCH) return forgotten
  }
}

/** Editions whose voters' time has come. */
async function dueAt(db: Database, moment: Date) {
  const { rows } = await sql<{ edicion: number }>`select distinct edicion from banda_digital_votes`.execute(db)
  const plazos = await Promise.all(rows.map(async ({ edicion }) => ({ edicion, ...(await plazoDe(db, edicion)) })))
  return plazos.filter(({ final, dias }) => final.getTime() + dias * DAY_MS <= moment.getTime())
}

/** Announces the editions whose voters' accounts go within `ANUNCIO_MS`; those whose days were changed, anew later. */
export async function announceOlvidos(services: Pick<Trabajo, 'db' | 'clock'>, machineNow = new Date()): Promise<void> {
  const { db, clock } = services
  const soon = await dueAt(db, new Date(earlierOf(clock, machineNow).getTime() + ANUNCIO_MS))
  const ediciones = soon.map(({ edicion }) => edicion)
  await sql`delete from olvidos_anunciados where edicion <> all (${ediciones}::smallint[])`.execute(db)
  if (ediciones.length > 0)
    await db
      .insertInto('olvidos_anunciados')
      .values(ediciones.map((edicion) => ({ edicion, anunciado_at: machineNow })))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
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

/**
 * One turn: announced first, forgotten when that was long enough ago; nothing by a clock that runs ahead, nor within the
 * first hour after a start.
 * @param upMs since the process began, by a clock that nobody sets
 * @returns how many were forgotten
 */
export async function olvidar(services: Trabajo, machineNow = new Date(), upMs = performance.now()): Promise<number> {
  const reloj = await verReloj(services.db, machineNow, upMs)
  if (reloj.adelantado) return 0
  await announceOlvidos(services, machineNow)
  return mayDeleteByTime(reloj, upMs) ? forgetVotantes(services, machineNow) : 0
}

/** Forgets voters now and then, for as long as the site runs. @returns ends it */
export function startOlvido(services: Trabajo): () => Promise<void> {
  let running = Promise.resolve()
  const sweep = () => {
    running = running
      .then(async () => {
        const forgotten = await olvidar(services)
        if (forgotten > 0) services.log.info({ forgotten }, 'accounts of voters whose time had come were deleted')
      })
      .catch((error: unknown) => services.log.error({ err: error }, 'the accounts of voters could not be swept'))
  }
  sweep()
  const timer = setInterval(sweep, SWEEP_MS).unref()
  return async () => {
    clearInterval(timer)
    await running
  }
}
