import { sql } from 'kysely'
import { readEditionSettings } from '#app/cms/edition-settings/data.server.ts'
import { checkClock, elapsedMsSql, mayDeleteExpired } from '#app/core/db/clock-guard.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { outboxFolderOf, removeMail } from '#app/core/mail-transport/outbox-folder.server.ts'
import { earlierOf } from '#app/core/time/clock.server.ts'
import { DAY_MS } from '#app/core/time/durations.ts'
import { deleteMailsTo } from '#app/mail/mutations.server.ts'
import { announceErasures, ERASURE_NOTICE_MS, listDueEditions } from './voter-erasure-schedule.server.ts'

/** Most accounts that one transaction deletes. */
const BATCH_SIZE = 500

type ErasureServices = Pick<Services, 'db' | 'clock' | 'settings' | 'log'>

/**
 * Deletes the accounts of voters after their retention: `privacidad.dias` after the final of every edition in which the account
 * voted, or after the account was made if it never voted. Sessions, Google's data and the mail that belongs to no entry are deleted
 * with an account. An edition's voters are deleted only if their erasure was announced ERASURE_NOTICE_MS ago, by the machine's clock
 * and by the site's running time, and is not on hold. A voter with an unsealed vote stays. Sealed votes stay, so that every count
 * can still be verified; the voter's id in a sealed vote then leads to no account.
 * @param machineNow the machine's clock
 * @returns the number of deleted accounts
 * @source content/2025/privacidad.yaml «Votación»
 */
export async function eraseVoters(services: ErasureServices, machineNow = new Date()): Promise<number> {
  const { db, settings } = services
  const now = earlierOf(services.clock, machineNow)
  const announcedEditions = await db
    .selectFrom('olvidos_anunciados')
    .select('edicion')
    .where('anunciado_at', '<=', new Date(machineNow.getTime() - ERASURE_NOTICE_MS))
    .where(sql<boolean>`corrido_ms + ${ERASURE_NOTICE_MS}::bigint <= ${elapsedMsSql}`)
    .where('edicion', 'not in', (eb) => eb.selectFrom('plazos_detenidos').select('edicion'))
    .execute()
  const dueEditions = (await listDueEditions(db, now)).filter(({ edicion }) =>
    announcedEditions.some((announced) => announced.edicion === edicion),
  )
  const { 'privacidad.dias': retentionDays } = await readEditionSettings(db)
  let deletedCount = 0
  for (;;) {
    const { rows } = await db.transaction().execute(async (tx) => {
      const deletedProfiles = await sql<{ email: string }>`
        delete from profiles where id in (
          select p.id from profiles p
          where p.role is null and p.baja_at is null
            -- No vote is unsealed, or of an edition that is not due.
            and not exists (
              select from banda_digital_votes v where v.user_id = p.id
                and (v.lote is null or v.edicion <> all (${dueEditions.map(({ edicion }) => edicion)}::smallint[]))
            )
            and (
              exists (select from banda_digital_votes v where v.user_id = p.id)
              or p.created_at <= ${new Date(now.getTime() - retentionDays * DAY_MS)}
            )
          order by p.id limit ${BATCH_SIZE} for update of p
        )
        returning email`.execute(tx)
      if (deletedProfiles.rows.length > 0) {
        const mails = await deleteMailsTo(
          tx,
          deletedProfiles.rows.map(({ email }) => email),
        )
        await removeMail(outboxFolderOf(settings.dataDir), mails)
      }
      return deletedProfiles
    })
    deletedCount += rows.length
    if (rows.length < BATCH_SIZE) return deletedCount
  }
}

/**
 * Announces erasures, then erases voters (`eraseVoters`). While the machine's clock runs ahead it does neither; within the first
 * hour after a start it only announces.
 * @param uptimeMs since the start of the process, by a monotonic clock
 * @returns the number of deleted accounts
 */
export async function eraseDueVoters(
  services: ErasureServices,
  machineNow = new Date(),
  uptimeMs = performance.now(),
): Promise<number> {
  const clockReading = await checkClock(services.db, machineNow, uptimeMs)
  if (clockReading.isAhead) return 0
  await announceErasures(services, machineNow)
  return mayDeleteExpired(clockReading, uptimeMs) ? eraseVoters(services, machineNow) : 0
}

export async function sweepVoters(services: ErasureServices): Promise<void> {
  const deletedCount = await eraseDueVoters(services)
  if (deletedCount > 0)
    services.log.info({ forgotten: deletedCount }, 'accounts of voters whose retention had ended were deleted')
}
