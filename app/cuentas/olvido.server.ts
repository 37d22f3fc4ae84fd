import { sql } from 'kysely'
import { plazoDe, readAjustes } from '#app/ajustes/data.server.ts'
import { forgetCorreosA } from '#app/correo/mutations.server.ts'
import { earlierOf } from '#app/platform/clock.server.ts'
import { forgetMail, outboxOf } from '#app/platform/mail-folder.server.ts'
import type { Services } from '#app/platform/services.server.ts'

const DAY_MS = 86_400_000
const SWEEP_MS = 60 * 60_000
const BATCH = 500

type Trabajo = Pick<Services, 'db' | 'clock' | 'settings' | 'log'>

/**
 * Deletes the accounts of voters whose time has come: so many days after the final of the last edition that they voted
 * in; of those that never voted, so many after they were made. With an account go its sessions, what Google said of it,
 * and its mail. Its votes stay as they were signed, so that every count can be checked as before: what they have left is
 * an id that leads to nobody any more.
 * @returns how many
 * @source content/2025/privacidad.yaml «Votación»
 */
export async function forgetVotantes(services: Trabajo, machineNow = new Date()): Promise<number> {
  const { db, settings } = services
  const now = earlierOf(services.clock, machineNow)
  const { rows: ediciones } = await sql<{ edicion: number }>`select distinct edicion from banda_digital_votes`.execute(
    db,
  )
  const plazos = await Promise.all(ediciones.map(async ({ edicion }) => ({ edicion, ...(await plazoDe(db, edicion)) })))
  const due = plazos.filter(({ final, dias }) => final.getTime() + dias * DAY_MS <= now.getTime())
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

/** Forgets voters now and then, for as long as the site runs. @returns ends it */
export function startOlvido(services: Trabajo): () => Promise<void> {
  let running = Promise.resolve()
  const sweep = () => {
    running = running
      .then(async () => {
        const forgotten = await forgetVotantes(services)
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
