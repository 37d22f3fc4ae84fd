import { sql } from 'kysely'
import { PERMISSIONS } from '#app/accounts/rules.ts'
import { loadEditionCard } from '#app/cms/editions/displayed-edition.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { isoDateOf, parseDateTimeLocal } from '#app/core/time/mexico-dates.ts'
import { countUndelivered } from '#app/entries/letters/data.server.ts'
import { countForDigest } from '#app/entries/states/digest-counts.server.ts'
import { mailSenderOf, queueMail } from '#app/mail/mutations.server.ts'
import { type DigestFrequency, isDigestFrequency } from './frequency.ts'
import { digestLetter } from './mails.server.ts'

/** Younger entries wait for the next digest, since an entry is dated before its commit and may not be visible yet. */
const SETTLE_MS = 60_000
/** Two immediate digests are at least so far apart, so that a busy evening does not send a message per entry. */
const MIN_PAUSE_MS = 15 * 60_000
const RUN_AT = '08:00'

type DigestServices = Pick<Services, 'db' | 'settings' | 'keyed' | 'clock'>

/** Reads how often an organiser gets the digest; by default once a day. */
export async function readDigestFrequency(db: Database, userId: string): Promise<DigestFrequency> {
  const row = await db.selectFrom('novedades').select('cuando').where('user_id', '=', userId).executeTakeFirst()
  return row?.cuando ?? 'diario'
}

/** Stores how often an organiser gets the digest. @returns false where `when` is none of the choices */
export async function setDigestFrequency(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  userId: string,
  when: string,
): Promise<boolean> {
  if (!isDigestFrequency(when)) return false
  await db
    .insertInto('novedades')
    .values({ user_id: userId, cuando: when, hasta: clock.now() })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ cuando: when }))
    .execute()
  return true
}

/**
 * Mails every organiser who may see entries a digest of the news since her last digest, as often as she chose: counts and a
 * link, no names or documents. Without news nothing is sent. A row lock, held until the message is queued and the row is moved
 * on, keeps several processes from sending a digest twice.
 * @returns how many digests were queued
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
    // An organiser's first row starts now, so her digest covers later events only.
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
  const until = new Date(now.getTime() - SETTLE_MS)
  if (!row || row.hasta >= until || !isDue(row, until)) return false
  const { anio: edition } = await loadEditionCard()
  const [counts, undelivered] = await Promise.all([
    countForDigest(tx, { edition, from: row.hasta, to: until }),
    countUndelivered(tx, edition, row.correos_hasta),
  ])
  const { candidates, costumes, withNewDocument } = counts
  const hasNews = candidates + costumes + withNewDocument + undelivered > 0
  await tx
    .updateTable('novedades')
    .set({ hasta: until, correos_hasta: row.ahora, ...(hasNews && { dicho_at: now }) })
    .where('user_id', '=', userId)
    .execute()
  if (!hasNews) return false
  const queueResult = await queueMail(tx, {
    ...digestLetter({ ...counts, undelivered }, row.cuando),
    to: row.email,
    sender: mailSenderOf(services),
    idempotencyKey: `novedades:${userId}:${until.toISOString()}`,
  })
  return queueResult.ok
}

/** Returns whether a digest is due whose period ends at `until`; a daily digest is due once after RUN_AT. */
function isDue(
  { cuando, hasta: previousEnd, dicho_at }: { cuando: DigestFrequency; hasta: Date; dicho_at: Date | null },
  until: Date,
): boolean {
  if (cuando === 'nunca') return false
  if (cuando === 'al-momento') return dicho_at === null || until.getTime() - dicho_at.getTime() >= MIN_PAUSE_MS
  const today = new Date(parseDateTimeLocal(`${isoDateOf(until)}T${RUN_AT}`)!)
  return until >= today && previousEnd < today
}
