import { sql } from 'kysely'
import { readSettings } from '#app/cms/edition-settings/data.server.ts'
import { checkClock, ELAPSED_MS, mayDeleteByTime } from '#app/core/db/clock-guard.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { forgetMail, outboxOf } from '#app/core/mail-transport/outbox-folder.server.ts'
import { earlierOf } from '#app/core/time/clock.server.ts'
import { forgetMailsTo } from '#app/mail/mutations.server.ts'
import { ADVANCE_NOTICE_MS, announceErasures, dueAt } from './voter-erasure-schedule.server.ts'

const DAY_MS = 86_400_000
const SWEEP_MS = 60 * 60_000
const BATCH = 500

type Work = Pick<Services, 'db' | 'clock' | 'settings' | 'log'>

/**
 * Deletes the accounts of voters after their retention: so many days after the final of the last edition that they voted
 * in, or after the account was made if they never voted. Sessions, Google's data and mail go with an account. Voters of
 * an edition go only when that was announced `ADVANCE_NOTICE_MS` ago and is not on hold. Sealed votes stay, so that every
 * count can be checked as before; their id leads to no account any more.
 * @returns the number of deleted accounts
 * @source content/2025/privacidad.yaml «Votación»
 */
export async function eraseVoters(services: Work, machineNow = new Date()): Promise<number> {
  const { db, settings } = services
  const now = earlierOf(services.clock, machineNow)
  const ripe = await db
    .selectFrom('olvidos_anunciados')
    .select('edicion')
    .where('anunciado_at', '<=', new Date(machineNow.getTime() - ADVANCE_NOTICE_MS))
    .where(sql<boolean>`corrido_ms + ${ADVANCE_NOTICE_MS}::bigint <= ${ELAPSED_MS}`)
    .where('edicion', 'not in', (eb) => eb.selectFrom('plazos_detenidos').select('edicion'))
    .execute()
  const due = (await dueAt(db, now)).filter(({ edicion }) => ripe.some((one) => one.edicion === edicion))
  const { 'privacidad.dias': dias } = await readSettings(db)
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
        const mails = await forgetMailsTo(
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

/**
 * Announces erasures first, then deletes accounts whose announcement is old enough. Deletes nothing while the machine's
 * clock runs ahead, nor within the first hour after a start.
 * @param upMs milliseconds since the process began, by a monotonic clock
 * @returns the number of deleted accounts
 */
export async function forget(services: Work, machineNow = new Date(), upMs = performance.now()): Promise<number> {
  const clockReading = await checkClock(services.db, machineNow, upMs)
  if (clockReading.isAhead) return 0
  await announceErasures(services, machineNow)
  return mayDeleteByTime(clockReading, upMs) ? eraseVoters(services, machineNow) : 0
}

/** Runs `forget` every hour. @returns stops it after the run under way */
export function startVoterErasure(services: Work): () => Promise<void> {
  let running = Promise.resolve()
  const sweep = () => {
    running = running
      .then(async () => {
        const forgotten = await forget(services)
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
