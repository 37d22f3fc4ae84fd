import { sql } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { MailboxError, readReports } from '#app/core/mail-transport/imap-reports.server.ts'
import { MINUTE_MS } from '#app/core/time/durations.ts'
import { bounceMailboxFingerprint } from './data.server.ts'
import { type Bounce, parseBounce } from './delivery-report.server.ts'

/** Lease of the bounce mailbox. If reading takes longer, another process may read the same reports, which changes nothing. */
const LEASE_MS = 4 * MINUTE_MS

type BounceServices = Pick<Services, 'db' | 'settings' | 'keyed' | 'log'>

/**
 * Marks a mail as bounced, unless it is marked already or no mail server accepted it.
 * @returns whether a mail was marked
 */
export async function markBounced(db: Database, { messageId, status }: Bounce): Promise<boolean> {
  const updateResult = await sql`
    update correos set rebotado_at = now(), rebote = ${status}
    where message_id = ${messageId}::uuid and sent_at is not null and not en_carpeta and rebotado_at is null`.execute(
    db,
  )
  return Number(updateResult.numAffectedRows ?? 0) > 0
}

/**
 * Reads the delivery reports that arrived since the last reading, at first those among the latest messages (`readReports`). A
 * bounce mailbox that cannot be read is recorded as a fault.
 * @returns the number of mails marked as bounced, 0 without a bounce mailbox; undefined if another process holds the lease
 */
export async function processBounces(services: BounceServices): Promise<number | undefined> {
  const { db, settings, log } = services
  const url = settings.bouncesUrl
  if (url === undefined) return 0
  const fingerprint = bounceMailboxFingerprint(services, url)
  await db
    .insertInto('buzon_de_rebotes')
    .values({ huella: fingerprint })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const lease = await db
    .updateTable('buzon_de_rebotes')
    .set({ tomado_hasta: sql<Date>`now() + ${LEASE_MS} * interval '1 ms'` })
    .where('huella', '=', fingerprint)
    .where('tomado_hasta', '<=', sql<Date>`now()`)
    .returning(['uidvalidity', 'uid', 'falla'])
    .executeTakeFirst()
  if (!lease) return undefined
  const { uidvalidity, uid } = lease
  let position = uidvalidity !== null && uid !== null ? { uidvalidity, uid } : undefined
  let fault: MailboxError['code'] | null = null
  let markedCount = 0
  let isFullyRead = false
  try {
    for (let mayHaveMore = true; mayHaveMore; ) {
      const { reading, reports, hasMore } = await readReports(url, position)
      for (const report of reports) {
        const bounce = await parseBounce(report)
        if (bounce && (await markBounced(db, bounce))) markedCount++
      }
      position = reading
      mayHaveMore = hasMore
    }
    isFullyRead = true
  } catch (error) {
    if (!(error instanceof MailboxError)) throw error
    fault = error.code
    if (lease.falla === null) log.warn({ code: fault }, 'the mailbox of returned mail cannot be read')
  } finally {
    await db
      .updateTable('buzon_de_rebotes')
      .set({
        tomado_hasta: sql<Date>`now()`,
        falla: fault,
        ...(position && { uidvalidity: position.uidvalidity, uid: position.uid }),
        ...(isFullyRead && { leido_at: sql<Date>`now()` }),
      })
      .where('huella', '=', fingerprint)
      .execute()
  }
  return markedCount
}
