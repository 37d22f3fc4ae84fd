import { unescape as percentDecoded } from 'node:querystring'
import type { ImapFlow } from 'imapflow'

const CONNECT_MS = 15_000
const SILENT_MS = 30_000
/** One call may take this long, so that a server that answers in drops cannot hold it. */
const TURN_MS = 150_000
/**
 * At most this many bytes of one message are read: a report has a few thousand, and returns about as many of the original
 * message.
 */
const MAX_MESSAGE_BYTES = 256 * 1024
/**
 * At most this many bytes of a message's head are read, in which a report names its Content-Type; a report's head has some two
 * thousand.
 */
const MAX_HEAD_BYTES = 16 * 1024
/** A longer answer is refused; no expected answer comes near this length. */
const MAX_ANSWER_BYTES = 2 * MAX_MESSAGE_BYTES
const MAX_ANSWER_TOKENS = 10_000
/** One turn checks at most this many messages, and the first turn goes back this far. */
const WINDOW = 500
const MAX_REPORTS = 50

/**
 * A Reading says how far a mailbox was read, in the server's numbers, which hold while `uidvalidity` stays (RFC 3501 §2.3.1.1).
 */
export interface Reading {
  uidvalidity: number
  uid: number
}

/** A mailbox's server refused or misbehaved; `code` tells the reason without naming a person. */
export class MailboxError extends Error {
  override name = 'MailboxError'
  readonly code: 'conexion' | 'entrada' | 'carpeta' | 'respuesta'
  constructor(code: MailboxError['code'], message: string) {
    super(message)
    this.code = code
  }
}

/**
 * Reads new delivery reports (multipart/report) from a mailbox, and no other messages. The mailbox is opened read-only: nothing
 * in it is marked, moved or deleted, so people may read it, too.
 * @param url imaps://user:password@server/folder; imap:// only to this machine
 * @param before how far an earlier call read; without it, or when the server has renumbered, the last messages are read
 * @returns the raw reports, how far the mailbox is read now, and whether messages remain
 * @throws MailboxError
 */
export async function readReports(
  url: string,
  before: Reading | undefined,
): Promise<{ reading: Reading; reports: Buffer[]; hasMore: boolean }> {
  const client = await createClient(new URL(url))
  // Where the client ends the connection itself, its commands say only that there is none.
  let connectionError: Error | undefined
  client.on('error', (error: Error) => {
    connectionError ??= error
  })
  const limit = setTimeout(() => client.close(), TURN_MS)
  let step: MailboxError['code'] = 'conexion'
  try {
    await client.connect()
    step = 'carpeta'
    await client.mailboxOpen(percentDecoded(new URL(url).pathname.slice(1)) || 'INBOX', { readOnly: true })
    step = 'respuesta'
    const read = await readFolder(client, before)
    await client.logout().catch(() => {})
    return read
  } catch (error) {
    throw error instanceof MailboxError ? error : mailboxError(step, connectionError ?? (error as Error))
  } finally {
    clearTimeout(limit)
    client.close()
  }
}

/** @param step the fault where the server refused the command; the server's text may name a person, so it is not passed on */
function mailboxError(
  step: MailboxError['code'],
  error: Error & { code?: string; responseStatus?: string; authenticationFailed?: boolean },
): MailboxError {
  const { code = error.name, responseStatus, authenticationFailed } = error
  if (authenticationFailed) return new MailboxError('entrada', code)
  if (responseStatus !== undefined) return new MailboxError(step, responseStatus)
  return new MailboxError(/Too|Parser|NESTING/.test(code) ? 'respuesta' : 'conexion', code)
}

/** The library is loaded by a site that has such a mailbox only. */
async function createClient({ hostname, port, protocol, username, password }: URL): Promise<ImapFlow> {
  const { ImapFlow } = await import('imapflow')
  const secure = protocol === 'imaps:'
  return new ImapFlow({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || (secure ? 993 : 143)),
    secure,
    doSTARTTLS: false,
    auth: { user: percentDecoded(username), pass: percentDecoded(password) },
    logger: false,
    disableAutoIdle: true,
    disableCompression: true,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENT_MS,
    maxLineLength: MAX_ANSWER_BYTES,
    maxLiteralSize: MAX_MESSAGE_BYTES,
    maxResponseSize: MAX_ANSWER_BYTES,
    maxResponseTokens: MAX_ANSWER_TOKENS,
  })
}

async function readFolder(client: ImapFlow, before: Reading | undefined) {
  const { uidValidity, uidNext } = client.mailbox || {}
  if (!uidValidity || !uidNext) throw new MailboxError('respuesta', 'no numbers')
  const [uidvalidity, last] = [Number(uidValidity), uidNext - 1]
  const from = before?.uidvalidity === uidvalidity ? before.uid + 1 : Math.max(1, uidNext - WINDOW)
  if (from > last) return { reading: { uidvalidity, uid: last }, reports: [], hasMore: false }
  const to = Math.min(last, from + WINDOW - 1)
  const found = new Set<number>()
  const head = { key: 'HEADER', start: 0, maxLength: MAX_HEAD_BYTES }
  for await (const { uid, headers } of client.fetch(`${from}:${to}`, { bodyParts: [head] }, { uid: true }))
    if (/^content-type:\s*multipart\/report\b/im.test(headers?.toString('latin1') ?? '') && uid >= from && uid <= to)
      found.add(uid)
  const uids = [...found].sort((a, b) => a - b)
  const reports: Buffer[] = []
  const source = { start: 0, maxLength: MAX_MESSAGE_BYTES }
  for (const uid of uids.slice(0, MAX_REPORTS)) {
    const message = await client.fetchOne(String(uid), { source }, { uid: true })
    if (message !== false && message.source) reports.push(message.source)
  }
  // Reports beyond MAX_REPORTS are the first of the next turn.
  const uid = uids.length > MAX_REPORTS ? uids[MAX_REPORTS]! - 1 : to
  return { reading: { uidvalidity, uid }, reports, hasMore: uid < last }
}
