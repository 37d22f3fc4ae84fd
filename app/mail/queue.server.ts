import type { KeyObject } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import type { MailMessage } from '#app/core/mail-transport/mailer.server.ts'
import { decryptMail } from './cipher.server.ts'

/** A mail that this process holds by a lease. */
export interface ClaimedMail extends MailMessage {
  id: number
  /** Whether a person waits for the mail in front of the screen. */
  isUrgent: boolean
  /** Number of attempts, including the one for which the mail was claimed. */
  attempts: number
  /** Time for which the mail is still worth sending (`lifeMs`). */
  expiresInMs: number
  /** Whether the key does not decrypt the mail, or its row was changed; the mail waits, since the key may be restored. */
  isUnreadable: boolean
}

export interface FailedMail {
  mail: ClaimedMail
  code: string
  /** Whether the mail is not tried again. */
  isFinal: boolean
  /** Time until the next attempt. */
  waitMs: number
}

/**
 * Claims due mails for `leaseMs`: urgent mails before others, then mails to proven recipients before others, then by how long they
 * are due. SKIP LOCKED skips rows that another process is claiming, so that two processes never claim the same mail at once.
 * @param key decrypts the mails
 * @param urgentLeaseMs lease of urgent mails
 * @source PostgreSQL, SELECT, The Locking Clause
 */
export async function claimMails(
  db: Database,
  key: KeyObject,
  limit: number,
  leaseMs: number,
  urgentLeaseMs = leaseMs,
): Promise<ClaimedMail[]> {
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
      not_before = now() + case when c.priority = 0 then ${urgentLeaseMs}::float8 else ${leaseMs}::float8 end * interval '1 ms'
    from due where c.id = due.id
    returning c.id, c.attempts, c.idempotency_key, c.message_id, c.kind, c.priority, c.recipient, c.cifrado,
      c.created_at, extract(epoch from c.expires_at - now()) as expires_in`.execute(db)
  return rows
    .sort((a, b) => a.priority - b.priority || a.id - b.id)
    .map((row) => {
      const identity = { idempotencyKey: row.idempotency_key, to: row.recipient }
      const message = decryptMail(key, identity, row.cifrado)
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

/** Extends leases. @returns ids of mails still held; the rest were deleted, have a result, or other processes have claimed them */
export async function renewMailLeases(
  db: Database,
  heldMails: readonly ClaimedMail[],
  leaseMs: number,
  urgentLeaseMs: number,
): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`
    update correos c set
      not_before = now() + case when c.priority = 0 then ${urgentLeaseMs}::float8 else ${leaseMs}::float8 end * interval '1 ms'
    from unnest(${heldMails.map(({ id }) => id)}::bigint[], ${heldMails.map(({ attempts }) => attempts)}::int[]) as h (id, attempts)
    where c.id = h.id and c.attempts = h.attempts and c.sent_at is null and c.failed_at is null
    returning c.id`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** Releases mails that were claimed and not tried, and does not count the attempt. */
export async function releaseMails(db: Database, heldMails: readonly ClaimedMail[]): Promise<void> {
  await sql`
    update correos c set not_before = now(), attempts = c.attempts - 1
    from unnest(${heldMails.map(({ id }) => id)}::bigint[], ${heldMails.map(({ attempts }) => attempts)}::int[]) as h (id, attempts)
    where c.id = h.id and c.attempts = h.attempts and c.sent_at is null and c.failed_at is null`.execute(db)
}

/**
 * Records sent mails, even those that another process holds by now, so that none of them is claimed again.
 * @param isFolder whether the mails were written to a folder because there is no mail server
 */
export async function recordSent(db: Database, sentMails: readonly ClaimedMail[], isFolder: boolean): Promise<void> {
  await sql`
    update correos set sent_at = now(), failed_at = null, last_error = null, en_carpeta = ${isFolder}
    where id = any(${sentMails.map(({ id }) => id)}::bigint[]) and sent_at is null`.execute(db)
}

/**
 * Records failed attempts, and when each mail is tried again.
 * @returns ids of mails that are given up: refused for good, or expiring before their next attempt
 */
export async function recordFailed(db: Database, failedMails: readonly FailedMail[]): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`
    with changed as (
      update correos c set
        last_error = r.code,
        not_before = now() + r.wait_ms * interval '1 ms',
        failed_at = case when r.final or now() + r.wait_ms * interval '1 ms' >= c.expires_at then now() end
      from unnest(
        ${failedMails.map(({ mail }) => mail.id)}::bigint[],
        ${failedMails.map(({ mail }) => mail.attempts)}::int[],
        ${failedMails.map(({ code }) => code)}::text[],
        ${failedMails.map(({ isFinal }) => isFinal)}::boolean[],
        ${failedMails.map(({ waitMs }) => waitMs)}::float8[]
      ) as r (id, attempts, code, final, wait_ms)
      where c.id = r.id and c.attempts = r.attempts and c.sent_at is null and c.failed_at is null
      returning c.id, c.failed_at
    )
    select id from changed where failed_at is not null`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/**
 * Wipes the text of mails (codes, links, names) a day after they were sent or given up. The row stays, so that the mail is not
 * sent twice; the row of a mail with `isDeletedAfterSending` is deleted with its address.
 * @returns the number of wiped and deleted mails
 */
export async function wipeMails(db: Database): Promise<number> {
  const isDueForWipingSql = sql`(body_text is not null or cifrado is not null)
    and coalesce(sent_at, failed_at) < now() - interval '1 day'`
  const deletion = await sql`delete from correos where pasajero and ${isDueForWipingSql}`.execute(db)
  const wiping = await sql`
    update correos set subject = null, body_text = null, body_html = null, cifrado = null where ${isDueForWipingSql}`.execute(
    db,
  )
  return Number(deletion.numAffectedRows ?? 0) + Number(wiping.numAffectedRows ?? 0)
}
