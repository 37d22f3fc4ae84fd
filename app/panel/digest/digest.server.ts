import { sql } from 'kysely'
import { PERMISSIONS } from '#app/accounts/rules.ts'
import { loadEditionCard } from '#app/cms/editions/displayed-edition.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { isoDateOf, parseDateTimeLocal } from '#app/core/time/mexico-dates.ts'
import { countUndelivered } from '#app/entries/letters/data.server.ts'
import { countForDigest } from '#app/entries/states/digest-counts.server.ts'
import { mailSenderOf, queueMail } from '#app/mail/mutations.server.ts'
import { digestLetter } from './digest-letter.server.ts'
import { type DigestFrequency, isDigestFrequency } from './frequency.ts'

/** Entries younger than this wait for the next digest, since an entry is dated before its commit and may not be visible yet. */
const SETTLING_MS = 60_000
/** A further immediate digest waits at least this long, so that a busy evening does not bring a mail per entry. */
const MIN_IMMEDIATE_INTERVAL_MS = 15 * 60_000
/** Earliest time of the daily digest, in Mexico City's time zone. */
const DAILY_TIME = '08:00'

type DigestServices = Pick<Services, 'db' | 'settings' | 'keyed' | 'clock'>

/** Reads how often an organiser gets the digest; by default once a day. */
export async function readDigestFrequency(db: Database, userId: string): Promise<DigestFrequency> {
  const row = await db.selectFrom('novedades').select('cuando').where('user_id', '=', userId).executeTakeFirst()
  return row?.cuando ?? 'diario'
}

/**
 * Stores how often an organiser gets the digest. After «nunca» the first period starts now, so that the first digest does not count
 * everything since the switch-off.
 * @returns false for an unknown frequency
 */
export async function setDigestFrequency(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  userId: string,
  frequency: string,
): Promise<boolean> {
  if (!isDigestFrequency(frequency)) return false
  await db
    .insertInto('novedades')
    .values({ user_id: userId, cuando: frequency, hasta: clock.now() })
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet({
        cuando: frequency,
        hasta: sql`case when novedades.cuando = 'nunca' then excluded.hasta else novedades.hasta end`,
        correos_hasta: sql`case when novedades.cuando = 'nunca' then excluded.correos_hasta else novedades.correos_hasta end`,
      }),
    )
    .execute()
  return true
}

/**
 * Queues the digests that are due, for all organisers who may see entries. A digest has counts (`digestLetter`) and links, but no names
 * or documents. Without news no digest is queued. A row lock keeps several processes from sending a digest twice.
 * @returns number of queued digests
 */
export async function sendDigests(services: DigestServices): Promise<number> {
  const { db, clock } = services
  const now = clock.now()
  const organisers = await db
    .selectFrom('profiles')
    .select('id')
    .where('role', 'in', PERMISSIONS.inscripciones)
    .where('baja_at', 'is', null)
    .execute()
  let queuedCount = 0
  for (const { id } of organisers) {
    // An organiser's first period starts now, so the first digest covers later events only.
    await db
      .insertInto('novedades')
      .values({ user_id: id, hasta: now })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    if (await db.transaction().execute((tx) => sendDigest(tx, services, id, now))) queuedCount++
  }
  return queuedCount
}

async function sendDigest(tx: Database, services: DigestServices, userId: string, now: Date): Promise<boolean> {
  const row = await tx
    .selectFrom('novedades')
    .innerJoin('profiles', 'profiles.id', 'novedades.user_id')
    .select(['cuando', 'hasta', 'correos_hasta', 'dicho_at', 'email', sql<Date>`now()`.as('ahora')])
    .where('user_id', '=', userId)
    .forUpdate('novedades')
    .skipLocked()
    .executeTakeFirst()
  const until = new Date(now.getTime() - SETTLING_MS)
  if (!row || row.hasta >= until || !isDue(row, until)) return false
  const { anio: year } = await loadEditionCard()
  // Entries are dated by the site's clock, mail by the database's, so the period of mail ends at the database's now().
  const [counts, undeliveredCount] = await Promise.all([
    countForDigest(tx, { edition: year, from: row.hasta, to: until }),
    countUndelivered(tx, year, row.correos_hasta),
  ])
  const { candidateCount, costumeCount, newDocumentCount } = counts
  const hasNews = candidateCount + costumeCount + newDocumentCount + undeliveredCount > 0
  await tx
    .updateTable('novedades')
    .set({ hasta: until, correos_hasta: row.ahora, ...(hasNews && { dicho_at: now }) })
    .where('user_id', '=', userId)
    .execute()
  if (!hasNews) return false
  const queueResult = await queueMail(tx, {
    ...digestLetter({ ...counts, undeliveredCount }, row.cuando),
    to: row.email,
    sender: mailSenderOf(services),
    idempotencyKey: `novedades:${userId}:${until.toISOString()}`,
  })
  return queueResult.ok
}

/**
 * Returns whether a digest with a period up to `until` is due: a daily one once a day, after DAILY_TIME; an immediate one always,
 * but for MIN_IMMEDIATE_INTERVAL_MS after the last queued digest; none with `nunca`.
 */
function isDue(
  { cuando, hasta: previousEnd, dicho_at }: { cuando: DigestFrequency; hasta: Date; dicho_at: Date | null },
  until: Date,
): boolean {
  if (cuando === 'nunca') return false
  if (cuando === 'al-momento')
    return dicho_at === null || until.getTime() - dicho_at.getTime() >= MIN_IMMEDIATE_INTERVAL_MS
  const dueAt = new Date(parseDateTimeLocal(`${isoDateOf(until)}T${DAILY_TIME}`)!)
  return until >= dueAt && previousEnd < dueAt
}
