import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import type { MailboxError } from '#app/core/mail-transport/imap-reports.server.ts'
import { type DeliveryTraces, deliveryStatusOf, type MailUsage } from './rules.ts'
import type { MailView } from './schema.ts'

export const MAIL_COLUMNS = [
  'correos.id',
  'correos.kind',
  'correos.recipient',
  'correos.created_at',
  'correos.sent_at',
  'correos.failed_at',
  'correos.last_error',
  'correos.en_carpeta',
  'correos.rebotado_at',
  'correos.rebote',
] as const

export const toMailView = (
  row: DeliveryTraces & { id: number; kind: string; recipient: string; created_at: Date },
): MailView => ({
  id: row.id,
  kind: row.kind,
  para: row.recipient,
  at: row.created_at,
  ...deliveryStatusOf(row),
})

/** Lists every mail of an entry, the newest first. */
export async function listEntryMails(db: Database, entryId: number): Promise<MailView[]> {
  const rows = await db
    .selectFrom('correos')
    .select([...MAIL_COLUMNS])
    .where('inscripcion_id', '=', entryId)
    .orderBy('id', 'desc')
    .execute()
  return rows.map(toMailView)
}

/** Lists the delivery status of mails; leaves out mails that belong to no entry. */
export async function listDeliveryStatuses(
  db: Database,
  ids: number[],
): Promise<Pick<MailView, 'id' | 'suerte' | 'suerteAt' | 'motivo'>[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('correos')
    .select([...MAIL_COLUMNS])
    .where('id', 'in', ids)
    .where('inscripcion_id', 'is not', null)
    .execute()
  return rows.map((row) => ({ id: row.id, ...deliveryStatusOf(row) }))
}

/**
 * Returns whether mail is stuck because the mail server accepts none, and none was sent after the newest stuck mail was queued;
 * screens that promise a mail then say so.
 * @param maxAgeMinutes greatest age of the mails that count: waiting mails, and codes that were given up within STALL_MINUTES
 */
export async function isMailStalled(db: Database, maxAgeMinutes = 24 * 60): Promise<boolean> {
  // The listed codes concern one mail, not the mail server. With `case`, PostgreSQL looks for sent mail only if a mail is stuck.
  const { rows } = await sql<{ is_stalled: boolean }>`
    with stuck as (
      select max(created_at) as at from correos where sent_at is null and (failed_at is null or kind = 'codigo' and failed_at > now() - make_interval(mins => ${STALL_MINUTES}))
        and last_error is not null and last_error !~ '(RCPT TO|DATA|EENVELOPE|address|restored|too slow|unreadable)$'
        and created_at > now() - make_interval(mins => ${maxAgeMinutes}))
    select case when at is null then false else not exists (select from correos where sent_at > at) end as is_stalled
    from stuck`.execute(db)
  return rows[0]!.is_stalled
}

/** Returns whether, by the queue or by the health watch, a mail that is queued now would not be sent within minutes. */
export async function isMailDown(db: Database): Promise<boolean> {
  // The health watch stores its diagnoses every minute, so after five minutes it has stopped and no longer knows the state.
  const { rows } = await sql<{ is_down: boolean }>`
    select exists (
      select from diagnosticos where de = 'smtp' and nivel = 'falla' and visto_at > now() - interval '5 minutes'
        and not exists (select from correos where sent_at > desde and not en_carpeta)) as is_down`.execute(db)
  return rows[0]!.is_down || (await isMailStalled(db, STALL_MINUTES))
}

/**
 * Minutes for which a code that was given up counts as stuck, and in `isMailDown` also a waiting mail. After them, the next
 * voter's code tries the mail server again.
 */
const STALL_MINUTES = 10

/** Removes the sentences with «correo», which promise a mail, from the committee's text if the site has no mail server. */
export const withoutMailPromise = (text: string, { smtpUrl }: Services['settings']): string =>
  smtpUrl === undefined
    ? text
        .split(/(?<=[.!?])\s+/)
        .filter((sentence) => !/correo/i.test(sentence))
        .join(' ')
    : text

/** Returns whether a mail that is queued now goes out, waits because the mail server accepts none, or has no mail server. */
export async function readMailAvailability({
  db,
  settings,
}: Pick<Services, 'db' | 'settings'>): Promise<'goes' | 'waits' | 'none'> {
  if (settings.smtpUrl === undefined) return 'none'
  return (await isMailDown(db)) || (await isMailStalled(db)) ? 'waits' : 'goes'
}

/** Counts the mails of the last 24 hours, sent or waiting, since a provider's day may begin at any hour. */
export async function readMailUsage(db: Database): Promise<MailUsage> {
  const { rows } = await sql<MailUsage>`
    select count(*) filter (where kind in ('codigo', 'puerta'))::int as "codes",
      count(*) filter (where kind in ('codigo', 'puerta') and ajeno)::int as "unprovenCodes",
      count(*) filter (where kind = 'recibo')::int as "receipts",
      count(*) filter (where kind not in ('codigo', 'puerta', 'recibo'))::int as "others"
    from correos where created_at > now() - interval '24 hours' and failed_at is null`.execute(db)
  return rows[0]!
}

/** Returns a keyed hash of the bounce mailbox's URL, so that another mailbox does not get the reading position of this one. */
export const bounceMailboxFingerprint = ({ keyed }: Pick<Services, 'keyed'>, url: string) =>
  createHmac('sha256', keyed('rebotes')).update(url).digest('hex')

/**
 * Reads the state of the bounce mailbox.
 * @returns undefined without a bounce mailbox, or before the first attempt to read it; `readAt` is null until an attempt succeeds
 */
export async function readBounceMailbox(
  services: Pick<Services, 'db' | 'settings' | 'keyed'>,
): Promise<{ readAt: Date | null; fault: MailboxError['code'] | null } | undefined> {
  const url = services.settings.bouncesUrl
  if (url === undefined) return undefined
  const row = await services.db
    .selectFrom('buzon_de_rebotes')
    .select(['leido_at', 'falla'])
    .where('huella', '=', bounceMailboxFingerprint(services, url))
    .executeTakeFirst()
  return row && { readAt: row.leido_at, fault: row.falla }
}
