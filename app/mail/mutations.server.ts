import { sql } from 'kysely'
import { loadEditionCard } from '#app/cms/editions/displayed-edition.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { checkEmailAddress, type EmailAddressFault } from '#app/core/text/email-address.ts'
import { DAY_MS } from '#app/core/time/durations.ts'
import { createMailCipher, mailKeyOf } from './cipher.server.ts'
import type { Letter, MailSender, NewMail } from './schema.ts'
import { composeMail } from './template.server.tsx'

/** A message is tried for five days: RFC 5321 §4.5.4.1 lets a sender give up after four to five. */
const DEFAULT_LIFE_MS = 5 * DAY_MS

export type QueueResult =
  /** `isRepeated` says that a message with this key was queued before; the queued message stays as it is. */
  { ok: true; id: number; isRepeated: boolean } | { ok: false; reason: EmailAddressFault }

export const mailSenderOf = (services: Pick<Services, 'settings' | 'keyed'>): MailSender => ({
  siteUrl: services.settings.publicUrl,
  key: mailKeyOf(services),
})

/**
 * Queues one message to one person, encrypted. A running site takes it within a second unless others wait.
 * @param db the database, or the caller's transaction: then the message depends on its commit
 */
export async function queueMail(db: Database, email: NewMail): Promise<QueueResult> {
  const checked = checkEmailAddress(email.to)
  if (!checked.ok) return checked
  const { siteUrl, key } = email.sender
  const encrypt = createMailCipher(key, composeMail(email, siteUrl, await loadEditionCard()))
  const insertedRow = await db
    .insertInto('correos')
    .values({
      idempotency_key: email.idempotencyKey,
      kind: email.kind,
      priority: priorityOf(email),
      pasajero: email.isPassing ?? false,
      inscripcion_id: email.entryId ?? null,
      recipient: checked.address,
      cifrado: encrypt({ idempotencyKey: email.idempotencyKey, to: checked.address }),
      expires_at: sql<Date>`now() + ${lifeMsOf(email)} * interval '1 ms'`,
    })
    .onConflict((conflict) => conflict.column('idempotency_key').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (insertedRow) return { ok: true, id: insertedRow.id, isRepeated: false }
  const { id } = await db
    .selectFrom('correos')
    .select('id')
    .where('idempotency_key', '=', email.idempotencyKey)
    .executeTakeFirstOrThrow()
  return { ok: true, id, isRepeated: true }
}

const priorityOf = ({ isUrgent }: Letter) => (isUrgent ? 0 : 1)
const lifeMsOf = ({ lifeMs }: Letter) => lifeMs ?? DEFAULT_LIFE_MS

/**
 * Queues one message for many people, each with an individual word in it: a code, a receipt. The rest is composed once, since a
 * whole town may ask within minutes. Keys that were queued before, and addresses to which no message can go, are left out without
 * an error.
 * @param letter has `placeholder` wherever the individual word goes, in the form in which people read it
 * @param queued recipients with the individual word, and whether the message goes after others of its kind
 */
export async function queueMailBatch(
  db: Database,
  letter: Letter,
  { siteUrl, key }: MailSender,
  placeholder: string,
  queued: readonly { idempotencyKey: string; to: string; ownPart: string; isForeign?: boolean }[],
): Promise<void> {
  const encrypt = createMailCipher(key, composeMail(letter, siteUrl, await loadEditionCard()), placeholder)
  const rows = queued.flatMap(({ idempotencyKey, to, ownPart, isForeign = false }) => {
    const checked = checkEmailAddress(to)
    if (!checked.ok) return []
    const mailRow = { idempotencyKey, to: checked.address }
    return [{ ...mailRow, ajeno: isForeign, cifrado: encrypt(mailRow, ownPart) }]
  })
  if (rows.length === 0) return
  await sql`
    insert into correos (idempotency_key, kind, priority, pasajero, ajeno, recipient, cifrado, expires_at)
    select idempotency_key, ${letter.kind}, ${priorityOf(letter)}::smallint, ${letter.isPassing ?? false}::boolean, ajeno, recipient,
      cifrado,
      now() + ${lifeMsOf(letter)} * interval '1 ms'
    from unnest(${rows.map(({ idempotencyKey }) => idempotencyKey)}::text[], ${rows.map(({ to }) => to)}::text[],
      ${rows.map(({ cifrado }) => cifrado)}::bytea[], ${rows.map(({ ajeno }) => ajeno)}::boolean[])
      as r (idempotency_key, recipient, cifrado, ajeno)
    on conflict (idempotency_key) do nothing`.execute(db)
}

/**
 * Deletes the mail of an entry, queued or sent.
 * @returns Message-IDs, by which the caller removes the copies in the outbox folder
 */
export async function forgetEntryMails(tx: Database, entry: number): Promise<string[]> {
  const deletedRows = await tx
    .deleteFrom('correos')
    .where('inscripcion_id', '=', entry)
    .returning('message_id')
    .execute()
  return deletedRows.map(({ message_id }) => message_id)
}

/**
 * Deletes the mail to some addresses that belongs to no entry, queued or sent.
 * @param addresses in lower case
 * @returns Message-IDs, by which the caller removes the copies in the outbox folder
 */
export async function forgetMailsTo(tx: Database, addresses: string[]): Promise<string[]> {
  const deletedRows = await tx
    .deleteFrom('correos')
    .where('inscripcion_id', 'is', null)
    .where(sql<boolean>`lower(recipient) = any(${addresses}::text[])`)
    .returning('message_id')
    .execute()
  return deletedRows.map(({ message_id }) => message_id)
}

/** Returns those of the keys that were queued before, with every delivery status. */
export async function findQueued(db: Database, idempotencyKeys: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ key: string }>`
    select idempotency_key as key from correos where idempotency_key = any(${idempotencyKeys}::text[])`.execute(db)
  return new Set(rows.map(({ key }) => key))
}
