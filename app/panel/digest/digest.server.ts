import { sql } from 'kysely'
import { PERMISSIONS } from '#app/accounts/rules.ts'
import { loadEditionCard } from '#app/cms/editions/displayed-edition.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { dayOf, parseDateTimeLocal } from '#app/core/time/mexico-dates.ts'
import { countUndelivered } from '#app/entries/messages/data.server.ts'
import { countForDigest } from '#app/entries/states/digest-counts.server.ts'
import { mailSenderOf, queueMail } from '#app/mail/mutations.server.ts'
import { type DigestFrequency, isDigestFrequency } from './frequency.ts'
import { digestLetter } from './mails.server.ts'

const LOOK_MS = 30_000
/** Entries are dated before they are committed: what is this young may not be seen yet, and is told of the next time. */
const SETTLE_MS = 60_000
/** Whoever wants to know at once gets no message for each of fifteen entries of an evening. */
const PAUSE_MS = 15 * 60_000
const RUN_AT = '08:00'

type Work = Pick<Services, 'db' | 'settings' | 'keyed' | 'clock'>

/** How often an organiser is told; once a day where she has not said. */
export async function readDigestFrequency(db: Database, userId: string): Promise<DigestFrequency> {
  const row = await db.selectFrom('novedades').select('cuando').where('user_id', '=', userId).executeTakeFirst()
  return row?.cuando ?? 'diario'
}

/** Keeps how often an organiser is told. @returns false when `cuando` is none of the choices */
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
 * Tells by mail every organiser who may see entries of what is new since she was told last, as often as she likes: how
 * many, and where; no name and no document. Where nothing is new, nothing is sent. Over any number of processes each is
 * told once: her row is held while it is done, and moved on together with the message.
 * @returns how many were told
 */
export async function sendDigests(services: Work): Promise<number> {
  const { db, clock } = services
  const now = clock.now()
  const organisers = await db
    .selectFrom('profiles')
    .select('id')
    .where('role', 'in', PERMISSIONS.inscripciones)
    .where('baja_at', 'is', null)
    .execute()
  let told = 0
  for (const { id } of organisers) {
    // Whoever is seen for the first time is told of what comes from now on.
    await db
      .insertInto('novedades')
      .values({ user_id: id, hasta: now })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    if (await db.transaction().execute((tx) => tellUna(tx, services, id, now))) told++
  }
  return told
}

async function tellUna(tx: Database, services: Work, userId: string, now: Date): Promise<boolean> {
  const row = await tx
    .selectFrom('novedades')
    .innerJoin('profiles', 'profiles.id', 'novedades.user_id')
    .select(['cuando', 'hasta', 'correos_hasta', 'dicho_at', 'email', sql<Date>`now()`.as('ahora')])
    .where('user_id', '=', userId)
    .forUpdate('novedades')
    .skipLocked()
    .executeTakeFirst()
  const hasta = new Date(now.getTime() - SETTLE_MS)
  if (!row || row.hasta >= hasta || !isDue(row, hasta)) return false
  const { anio: edition } = await loadEditionCard()
  const [news, noLlegaron] = await Promise.all([
    countForDigest(tx, { edicion: edition, desde: row.hasta, hasta }),
    countUndelivered(tx, edition, row.correos_hasta),
  ])
  const { candidatas, trajes, repuestas } = news
  const isNew = candidatas + trajes + repuestas + noLlegaron > 0
  await tx
    .updateTable('novedades')
    .set({ hasta, correos_hasta: row.ahora, ...(isNew && { dicho_at: now }) })
    .where('user_id', '=', userId)
    .execute()
  if (!isNew) return false
  const queued = await queueMail(tx, {
    ...digestLetter({ ...news, noLlegaron }, row.cuando),
    ...{ to: row.email, remite: mailSenderOf(services) },
    idempotencyKey: `novedades:${userId}:${hasta.toISOString()}`,
  })
  return queued.ok
}

/** @param hasta up to when would be told, by the site's clock */
function isDue(
  { cuando, hasta: before, dicho_at }: { cuando: DigestFrequency; hasta: Date; dicho_at: Date | null },
  hasta: Date,
): boolean {
  if (cuando === 'nunca') return false
  if (cuando === 'al-momento') return dicho_at === null || hasta.getTime() - dicho_at.getTime() >= PAUSE_MS
  const today = new Date(parseDateTimeLocal(`${dayOf(hasta)}T${RUN_AT}`)!)
  return hasta >= today && before < today
}

/** Tells of what is new for as long as the site runs. @returns ends it */
export function startDigests(services: Work & Pick<Services, 'log'>): () => Promise<void> {
  let running = Promise.resolve()
  const look = () => {
    running = running
      .then(async () => void (await sendDigests(services)))
      .catch((error: unknown) => services.log.warn({ err: error }, 'what is new could not be told; it is tried again'))
  }
  look()
  const timer = setInterval(look, LOOK_MS).unref()
  return async () => {
    clearInterval(timer)
    await running
  }
}
