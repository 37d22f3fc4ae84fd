import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import type { MailboxError } from '#app/core/mail-transport/imap-reports.server.ts'
import { type DeliveryTraces, deliveryStatusOf, type MailUsage } from './rules.ts'
import type { MailView } from './schema.ts'

/** `toMailView` needs these columns. */
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

/** Lists every message of an entry, the newest first. */
export async function listEntryMails(db: Database, entry: number): Promise<MailView[]> {
  const rows = await db
    .selectFrom('correos')
    .select([...MAIL_COLUMNS])
    .where('inscripcion_id', '=', entry)
    .orderBy('id', 'desc')
    .execute()
  return rows.map(toMailView)
}

/** Lists the delivery status of those of the messages that belong to an entry; others are left out. */
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
 * Returns whether a message waits because the mail server takes none, and none has gone out since; screens that promise a message
 * then say so.
 * @param minutes the age of the messages that count; a code that failed within STALL_MINUTES counts too
 */
export async function isMailStalled(db: Database, minutes = 24 * 60): Promise<boolean> {
  // The case has PostgreSQL look for sent messages only where one is stuck.
  const { rows } = await sql<{ detenido: boolean }>`
    with atorado as (
      select max(created_at) as at from correos where sent_at is null and (failed_at is null or kind = 'codigo' and failed_at > now() - make_interval(mins => ${STALL_MINUTES}))
        and last_error is not null and last_error !~ '(RCPT TO|DATA|EENVELOPE|address|restored|too slow)$'
        and created_at > now() - make_interval(mins => ${minutes}))
    select case when at is null then false else not exists (select from correos where sent_at > at) end as detenido
    from atorado`.execute(db)
  return rows[0]!.detenido
}

/** Returns whether a message that is queued now would not go out within minutes, by the queue or by the health watch. */
export async function isMailDown(db: Database): Promise<boolean> {
  const { rows } = await sql<{ falla: boolean }>`
    select exists (
      select from diagnosticos where de = 'smtp' and nivel = 'falla' and visto_at > now() - interval '5 minutes'
        and not exists (select from correos where sent_at > desde and not en_carpeta)) as falla`.execute(db)
  return rows[0]!.falla || (await isMailStalled(db, STALL_MINUTES))
}

/** After this time without a message that proves the opposite, the next voter's code tries the mail server again. */
const STALL_MINUTES = 10

/** Leaves out the sentences of the committee's text that promise a mail, where the site has no mail server. */
export const withoutMailPromise = (text: string, { smtpUrl }: Services['settings']): string =>
  smtpUrl === undefined
    ? text
        .split(/(?<=[.!?])\s+/)
        .filter((sentence) => !/correo/i.test(sentence))
        .join(' ')
    : text

/** Says what becomes of a message that is queued now: it goes; it waits, since the mail server takes none; there is no server. */
export async function readMailOutlook({
  db,
  settings,
}: Pick<Services, 'db' | 'settings'>): Promise<'goes' | 'waits' | 'none'> {
  if (settings.smtpUrl === undefined) return 'none'
  return (await isMailDown(db)) || (await isMailStalled(db)) ? 'waits' : 'goes'
}

/** Counts the messages of the last 24 hours, sent or waiting, since a provider's day may begin at any hour. */
export async function readMailUsage(db: Database): Promise<MailUsage> {
  const { rows } = await sql<MailUsage>`
    select count(*) filter (where kind in ('codigo', 'puerta'))::int as codigos,
      count(*) filter (where kind in ('codigo', 'puerta') and ajeno)::int as ajenos,
      count(*) filter (where kind = 'recibo')::int as recibos,
      count(*) filter (where kind not in ('codigo', 'puerta', 'recibo'))::int as otros
    from correos where created_at > now() - interval '24 hours' and failed_at is null`.execute(db)
  return rows[0]!
}

/**
 * Returns a keyed hash that stands for the bounce mailbox: after a change of address, the new mailbox is read from its beginning.
 */
export const fingerprintOf = ({ keyed }: Pick<Services, 'keyed'>, url: string) =>
  createHmac('sha256', keyed('rebotes')).update(url).digest('hex')

/**
 * Reads the state of the bounce mailbox.
 * @returns undefined without a mailbox, or before its first turn; `readAt` is null until a turn succeeds
 */
export async function readBounceMailbox(
  services: Pick<Services, 'db' | 'settings' | 'keyed'>,
): Promise<{ readAt: Date | null; fault: MailboxError['code'] | null } | undefined> {
  const url = services.settings.bouncesUrl
  if (url === undefined) return undefined
  const row = await services.db
    .selectFrom('buzon_de_rebotes')
    .select(['leido_at', 'falla'])
    .where('huella', '=', fingerprintOf(services, url))
    .executeTakeFirst()
  return row && { readAt: row.leido_at, fault: row.falla }
}
