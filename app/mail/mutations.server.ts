import { sql } from 'kysely'
import { loadEditionCard } from '#app/cms/editions/displayed-edition.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { checkEmailAddress, type EmailAddressFault } from '#app/core/text/email-address.ts'
import { DAY_MS } from '#app/core/time/durations.ts'
import { createMailCipher, mailKeyOf } from './cipher.server.ts'
import type { Letter, MailSender, NewMail } from './schema.ts'
import { composeMail } from './template.server.tsx'

/** Default of `lifeMs`, since RFC 5321 §4.5.4.1 lets a sender give up after four to five days. */
const DEFAULT_LIFE_MS = 5 * DAY_MS

export type QueueResult =
  /** If `isRepeated` is true, a mail with this key was queued before, and stays as it is. */
  { ok: true; id: number; isRepeated: boolean } | { ok: false; reason: EmailAddressFault }

export const mailSenderOf = (services: Pick<Services, 'settings' | 'keyed'>): MailSender => ({
  siteUrl: services.settings.publicUrl,
  key: mailKeyOf(services),
})

/**
 * Queues a mail to one recipient, with its text encrypted. A running site tries to send it within a second, unless other mails or
 * the wait after a failure of the mail server come first.
 * @param db the database, or the caller's transaction, whose commit the mail then depends on
 */
export async function queueMail(db: Database, newMail: NewMail): Promise<QueueResult> {
  const addressCheck = checkEmailAddress(newMail.to)
  if (!addressCheck.ok) return addressCheck
  const { siteUrl, key } = newMail.sender
  const encrypt = createMailCipher(key, composeMail(newMail, siteUrl, await loadEditionCard()))
  const insertedRow = await db
    .insertInto('correos')
    .values({
      idempotency_key: newMail.idempotencyKey,
      kind: newMail.kind,
      priority: priorityOf(newMail),
      pasajero: newMail.isDeletedAfterSending ?? false,
      inscripcion_id: newMail.entryId ?? null,
      recipient: addressCheck.address,
      cifrado: encrypt({ idempotencyKey: newMail.idempotencyKey, to: addressCheck.address }),
      expires_at: sql<Date>`now() + ${lifeMsOf(newMail)} * interval '1 ms'`,
    })
    .onConflict((conflict) => conflict.column('idempotency_key').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (insertedRow) return { ok: true, id: insertedRow.id, isRepeated: false }
  const { id } = await db
    .selectFrom('correos')
    .select('id')
    .where('idempotency_key', '=', newMail.idempotencyKey)
    .executeTakeFirstOrThrow()
  return { ok: true, id, isRepeated: true }
}

/** The worker sends priority 0 first. */
const priorityOf = ({ isUrgent }: Letter) => (isUrgent ? 0 : 1)
const lifeMsOf = ({ lifeMs }: Letter) => lifeMs ?? DEFAULT_LIFE_MS

/**
 * Queues a mail for many recipients, each with an individual part, such as a code or a receipt. The rest is composed once, since
 * a whole town may ask for codes within minutes. Recipients with an invalid address, or with a key under which a mail was
 * queued before, are skipped without an error.
 * @param letter has `placeholder` wherever the individual part goes
 * @param recipients with their individual parts; the worker claims the mail of an unproven recipient after other mail of the same
 * priority
 */
export async function queueMailBatch(
  db: Database,
  letter: Letter,
  { siteUrl, key }: MailSender,
  placeholder: string,
  recipients: readonly { idempotencyKey: string; to: string; individualPart: string; isUnproven?: boolean }[],
): Promise<void> {
  const encrypt = createMailCipher(key, composeMail(letter, siteUrl, await loadEditionCard()), placeholder)
  const rows = recipients.flatMap(({ idempotencyKey, to, individualPart, isUnproven = false }) => {
    const addressCheck = checkEmailAddress(to)
    if (!addressCheck.ok) return []
    const identity = { idempotencyKey, to: addressCheck.address }
    return [{ ...identity, ajeno: isUnproven, cifrado: encrypt(identity, individualPart) }]
  })
  if (rows.length === 0) return
  await sql`
    insert into correos (idempotency_key, kind, priority, pasajero, ajeno, recipient, cifrado, expires_at)
    select idempotency_key, ${letter.kind}, ${priorityOf(letter)}::smallint, ${letter.isDeletedAfterSending ?? false}::boolean,
      ajeno, recipient, cifrado,
      now() + ${lifeMsOf(letter)} * interval '1 ms'
    from unnest(${rows.map(({ idempotencyKey }) => idempotencyKey)}::text[], ${rows.map(({ to }) => to)}::text[],
      ${rows.map(({ cifrado }) => cifrado)}::bytea[], ${rows.map(({ ajeno }) => ajeno)}::boolean[])
      as r (idempotency_key, recipient, cifrado, ajeno)
    on conflict (idempotency_key) do nothing`.execute(db)
}

/**
 * Deletes the mail of an entry, queued, sent or given up.
 * @returns Message-IDs, by which the caller removes the files in the outbox folder
 */
export async function deleteEntryMails(tx: Database, entryId: number): Promise<string[]> {
  const deletedRows = await tx
    .deleteFrom('correos')
    .where('inscripcion_id', '=', entryId)
    .returning('message_id')
    .execute()
  return deletedRows.map(({ message_id }) => message_id)
}

/**
 * Deletes the mail to some addresses, queued, sent or given up, except mail that belongs to an entry.
 * @param addresses in lower case
 * @returns like `deleteEntryMails`
 */
export async function deleteMailsTo(tx: Database, addresses: string[]): Promise<string[]> {
  const deletedRows = await tx
    .deleteFrom('correos')
    .where('inscripcion_id', 'is', null)
    .where(sql<boolean>`lower(recipient) = any(${addresses}::text[])`)
    .returning('message_id')
    .execute()
  return deletedRows.map(({ message_id }) => message_id)
}

/** Returns which of the keys have a mail: queued, sent or failed. */
export async function findUsedIdempotencyKeys(db: Database, idempotencyKeys: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ key: string }>`
    select idempotency_key as key from correos where idempotency_key = any(${idempotencyKeys}::text[])`.execute(db)
  return new Set(rows.map(({ key }) => key))
}
