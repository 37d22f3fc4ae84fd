import { sql } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { MailboxError, readReports } from '#app/core/mail-transport/imap-reports.server.ts'
import { fingerprintOf } from './data.server.ts'
import { type Bounce, parseBounce } from './delivery-report.server.ts'

/**
 * Other processes leave the mailbox alone for this long, in milliseconds. A longer turn may overlap with another: the same
 * reports are then read twice, which changes nothing.
 */
const LEASE_MS = 4 * 60_000

type BounceServices = Pick<Services, 'db' | 'settings' | 'keyed' | 'log'>

/**
 * Marks a message as bounced, unless it is marked already or no mail server had accepted it.
 * @returns whether a message was marked
 */
export async function markBounced(db: Database, { messageId, status }: Bounce): Promise<boolean> {
  const marked = await sql`
    update correos set rebotado_at = now(), rebote = ${status}
    where message_id = ${messageId}::uuid and sent_at is not null and not en_carpeta and rebotado_at is null`.execute(
    db,
  )
  return Number(marked.numAffectedRows ?? 0) > 0
}

/**
 * Reads the reports that came since the last turn. A mailbox that cannot be read is recorded as a fault and read again at the
 * next turn.
 * @returns the number of messages marked as bounced; undefined when another process holds the lease
 */
export async function processBounces(services: BounceServices): Promise<number | undefined> {
  const { db, settings, log } = services
  const url = settings.bouncesUrl
  if (url === undefined) return 0
  const fingerprint = fingerprintOf(services, url)
  await db
    .insertInto('buzon_de_rebotes')
    .values({ huella: fingerprint })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const turn = await db
    .updateTable('buzon_de_rebotes')
    .set({ tomado_hasta: sql<Date>`now() + ${LEASE_MS} * interval '1 ms'` })
    .where('huella', '=', fingerprint)
    .where('tomado_hasta', '<=', sql<Date>`now()`)
    .returning(['uidvalidity', 'uid', 'falla'])
    .executeTakeFirst()
  if (!turn) return undefined
  const { uidvalidity, uid } = turn
  let at = uidvalidity !== null && uid !== null ? { uidvalidity, uid } : undefined
  let fault: MailboxError['code'] | null = null
  let marked = 0
  try {
    for (let more = true; more; ) {
      const { reading, reports, hasMore } = await readReports(url, at)
      for (const raw of reports) {
        const bounce = await parseBounce(raw)
        if (bounce && (await markBounced(db, bounce))) marked++
      }
      at = reading
      more = hasMore
    }
  } catch (error) {
    if (!(error instanceof MailboxError)) throw error
    fault = error.code
    if (turn.falla === null) log.warn({ code: fault }, 'the mailbox of returned mail cannot be read')
  } finally {
    await db
      .updateTable('buzon_de_rebotes')
      .set({
        tomado_hasta: sql<Date>`now()`,
        falla: fault,
        ...(at && { uidvalidity: at.uidvalidity, uid: at.uid }),
        ...(fault === null && { leido_at: sql<Date>`now()` }),
      })
      .where('huella', '=', fingerprint)
      .execute()
  }
  return marked
}
