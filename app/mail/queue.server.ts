import type { KeyObject } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import type { MailMessage } from '#app/core/mail-transport/mailer.server.ts'
import { decrypt } from './cipher.server.ts'

/** This process holds the message by a lease. */
export interface TakenMail extends MailMessage {
  id: number
  /** A person waits for the message in front of the screen. */
  isUrgent: boolean
  attempts: number
  expiresInMs: number
  /**
   * The message cannot be decrypted: the key is another one, or the row was changed. The message waits, since the key may come
   * back.
   */
  isUnreadable: boolean
}

/** A returned message was taken and tried, and not accepted. */
export interface ReturnedMail {
  mail: TakenMail
  code: string
  /** The message is not tried again. */
  isFinal: boolean
  waitMs: number
}

/**
 * Takes due messages for `leaseMs`: urgent ones first, strangers' codes after the others, then by how long they are due. SKIP
 * LOCKED passes over rows that another process is taking, so that two processes never take the same message.
 * @param key decrypts the messages
 * @param urgentMs the lease of urgent messages
 * @source PostgreSQL, SELECT, The Locking Clause
 */
export async function takeMails(
  db: Database,
  key: KeyObject,
  limit: number,
  leaseMs: number,
  urgentMs = leaseMs,
): Promise<TakenMail[]> {
  const { rows } = await sql<{
    id: number
    attempts: number
    idempotency_key: string
    message_id: string
    kind: string
    priority: number
    recipient: string
    cifrado: Buffer
    created_at: Date
    expires_in: number
  }>`
    with due as materialized (
      select id from correos
      where sent_at is null and failed_at is null and not_before <= now()
      order by priority, ajeno, not_before limit ${limit} for update skip locked
    )
    update correos c set attempts = c.attempts + 1,
      not_before = now() + case when c.priority = 0 then ${urgentMs}::float8 else ${leaseMs}::float8 end * interval '1 ms'
    from due where c.id = due.id
    returning c.id, c.attempts, c.idempotency_key, c.message_id, c.kind, c.priority, c.recipient, c.cifrado,
      c.created_at, extract(epoch from c.expires_at - now()) as expires_in`.execute(db)
  return rows
    .sort((a, b) => a.priority - b.priority || a.id - b.id)
    .map((row) => {
      const mailRow = { idempotencyKey: row.idempotency_key, to: row.recipient }
      const message = decrypt(key, mailRow, row.cifrado)
      return {
        id: row.id,
        isUrgent: row.priority === 0,
        attempts: row.attempts,
        messageId: row.message_id,
        kind: row.kind,
        to: row.recipient,
        ...(message ?? { subject: '', text: '', html: '' }),
        date: row.created_at,
        expiresInMs: row.expires_in * 1_000,
        isUnreadable: message === undefined,
      }
    })
}

/** Extends leases. @returns ids of messages that are still held; other processes have taken the rest since the leases ended */
export async function renewMailLeases(
  db: Database,
  heldMails: readonly TakenMail[],
  leaseMs: number,
  urgentMs: number,
): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`
    update correos c set
      not_before = now() + case when c.priority = 0 then ${urgentMs}::float8 else ${leaseMs}::float8 end * interval '1 ms'
    from unnest(${heldMails.map(({ id }) => id)}::bigint[], ${heldMails.map(({ attempts }) => attempts)}::int[]) as h (id, attempts)
    where c.id = h.id and c.attempts = h.attempts and c.sent_at is null and c.failed_at is null
    returning c.id`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** Gives back messages that were taken and not tried, and takes back the attempt that was counted for them. */
export async function releaseMails(db: Database, heldMails: readonly TakenMail[]): Promise<void> {
  await sql`
    update correos c set not_before = now(), attempts = c.attempts - 1
    from unnest(${heldMails.map(({ id }) => id)}::bigint[], ${heldMails.map(({ attempts }) => attempts)}::int[]) as h (id, attempts)
    where c.id = h.id and c.attempts = h.attempts and c.sent_at is null and c.failed_at is null`.execute(db)
}

/**
 * Records accepted messages, also those that another process holds by now, so that no message goes out again.
 * @param inFolder whether the messages were written to a folder because there is no mail server
 */
export async function settleSent(db: Database, sentMails: readonly TakenMail[], inFolder: boolean): Promise<void> {
  await sql`
    update correos set sent_at = now(), failed_at = null, last_error = null, en_carpeta = ${inFolder}
    where id = any(${sentMails.map(({ id }) => id)}::bigint[]) and sent_at is null`.execute(db)
}

/**
 * Records refused messages and when each is tried again.
 * @returns ids of messages that are given up: refused for good, or expired before their next attempt
 */
export async function settleReturned(db: Database, returned: readonly ReturnedMail[]): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`
    with changed as (
      update correos c set
        last_error = r.code,
        not_before = now() + r.wait_ms * interval '1 ms',
        failed_at = case when r.final or now() + r.wait_ms * interval '1 ms' >= c.expires_at then now() end
      from unnest(
        ${returned.map(({ mail }) => mail.id)}::bigint[],
        ${returned.map(({ mail }) => mail.attempts)}::int[],
        ${returned.map(({ code }) => code)}::text[],
        ${returned.map(({ isFinal }) => isFinal)}::boolean[],
        ${returned.map(({ waitMs }) => waitMs)}::float8[]
      ) as r (id, attempts, code, final, wait_ms)
      where c.id = r.id and c.attempts = r.attempts and c.sent_at is null and c.failed_at is null
      returning c.id, c.failed_at
    )
    select id from changed where failed_at is not null`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/**
 * Wipes the words of messages (codes, links, names) a day after they were sent or given up. A row stays, so that the message is
 * not sent twice; the row of a passing message is deleted with its address.
 * @returns the number of wiped and deleted messages
 */
export async function wipeMails(db: Database): Promise<number> {
  const isDueForWiping = sql`(body_text is not null or cifrado is not null)
    and coalesce(sent_at, failed_at) < now() - interval '1 day'`
  const deletion = await sql`delete from correos where pasajero and ${isDueForWiping}`.execute(db)
  const wiping = await sql`
    update correos set subject = null, body_text = null, body_html = null, cifrado = null where ${isDueForWiping}`.execute(
    db,
  )
  return Number(deletion.numAffectedRows ?? 0) + Number(wiping.numAffectedRows ?? 0)
}
