import { unescape as percentDecoded } from 'node:querystring'
import type { ImapFlow } from 'imapflow'

const CONNECT_TIMEOUT_MS = 15_000
const SILENCE_TIMEOUT_MS = 30_000
/** One call of `readReports` takes at most this long, even if the server sends a few bytes at a time. */
const CALL_TIMEOUT_MS = 150_000
/** Most bytes that are read of a message. A report has a few thousand, and the attached original as many. */
const MAX_MESSAGE_BYTES = 256 * 1024
/** Most bytes that are read of a message's head. The head of a report, with its Content-Type, has some two thousand. */
const MAX_HEAD_BYTES = 16 * 1024
/** A longer response of the server is refused. The longest expected response, a message, takes some half of it. */
const MAX_RESPONSE_BYTES = 2 * MAX_MESSAGE_BYTES
/** A response of the server with more tokens is refused. */
const MAX_RESPONSE_TOKENS = 10_000
/** One call covers at most this many message numbers, and the first call begins this many before the next new message's. */
const MAX_CHECKED_MESSAGES = 500
/** One call returns at most this many reports. The next call begins with the first report that is left. */
const MAX_REPORTS = 50

/** Position up to which a mailbox was read. */
export interface MailboxPosition {
  /** Message numbers are valid while this value stays the same (RFC 3501 §2.3.1.1). */
  uidvalidity: number
  /** Message number up to which the mailbox was read. */
  uid: number
}

/** Thrown if a mailbox's server is unreachable, refuses or misbehaves. `code` is the reason, without personal data. */
export class MailboxError extends Error {
  override name = 'MailboxError'
  readonly code: 'conexion' | 'entrada' | 'carpeta' | 'respuesta'
  constructor(code: MailboxError['code'], message: string) {
    super(message)
    this.code = code
  }
}

/**
 * Reads the new delivery reports (multipart/report) in a mailbox, and of other messages only the head. The mailbox is opened
 * read-only: no message is marked, moved or deleted, so people may use the mailbox, too.
 * @param url imaps://user:password@server/folder; imap:// only to this machine
 * @param earlierPosition how far an earlier call read; without it, or if the server has renumbered, the last messages are read
 * @returns the raw reports, how far the mailbox is read now, and whether messages remain
 * @throws MailboxError
 */
export async function readReports(
  url: string,
  earlierPosition: MailboxPosition | undefined,
): Promise<{ reading: MailboxPosition; reports: Buffer[]; hasMore: boolean }> {
  const client = await createClient(new URL(url))
  // If the connection fails, commands only report that there is none. The first error tells why.
  let connectionError: Error | undefined
  client.on('error', (error: Error) => {
    connectionError ??= error
  })
  const callTimer = setTimeout(() => client.close(), CALL_TIMEOUT_MS)
  let step: MailboxError['code'] = 'conexion'
  try {
    await client.connect()
    step = 'carpeta'
    await client.mailboxOpen(percentDecoded(new URL(url).pathname.slice(1)) || 'INBOX', { readOnly: true })
    step = 'respuesta'
    const folderReading = await readFolder(client, earlierPosition)
    await client.logout().catch(() => {})
    return folderReading
  } catch (error) {
    throw error instanceof MailboxError ? error : mailboxError(step, connectionError ?? (error as Error))
  } finally {
    clearTimeout(callTimer)
    client.close()
  }
}

/** Returns the error for a failed step, without the server's text, which may name a person. */
function mailboxError(
  step: MailboxError['code'],
  error: Error & { code?: string; responseStatus?: string; authenticationFailed?: boolean },
): MailboxError {
  const { code = error.name, responseStatus, authenticationFailed } = error
  if (authenticationFailed) return new MailboxError('entrada', code)
  if (responseStatus !== undefined) return new MailboxError(step, responseStatus)
  return new MailboxError(/Too|Parser|NESTING/.test(code) ? 'respuesta' : 'conexion', code)
}

/** Creates the client. Its library is loaded here, since only a site with a mailbox for bounces needs it. */
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
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    maxLineLength: MAX_RESPONSE_BYTES,
    maxLiteralSize: MAX_MESSAGE_BYTES,
    maxResponseSize: MAX_RESPONSE_BYTES,
    maxResponseTokens: MAX_RESPONSE_TOKENS,
  })
}

async function readFolder(client: ImapFlow, earlierPosition: MailboxPosition | undefined) {
  const { uidValidity, uidNext } = client.mailbox || {}
  if (!uidValidity || !uidNext) throw new MailboxError('respuesta', 'no numbers')
  const [uidvalidity, newestUid] = [Number(uidValidity), uidNext - 1]
  const firstUid =
    earlierPosition?.uidvalidity === uidvalidity ? earlierPosition.uid + 1 : Math.max(1, uidNext - MAX_CHECKED_MESSAGES)
  if (firstUid > newestUid) return { reading: { uidvalidity, uid: newestUid }, reports: [], hasMore: false }
  const lastUid = Math.min(newestUid, firstUid + MAX_CHECKED_MESSAGES - 1)
  const reportUids = new Set<number>()
  const head = { key: 'HEADER', start: 0, maxLength: MAX_HEAD_BYTES }
  for await (const { uid, headers } of client.fetch(`${firstUid}:${lastUid}`, { bodyParts: [head] }, { uid: true })) {
    const isReport = /^content-type:\s*multipart\/report\b/im.test(headers?.toString('latin1') ?? '')
    if (isReport && uid >= firstUid && uid <= lastUid) reportUids.add(uid)
  }
  const uids = [...reportUids].sort((a, b) => a - b)
  const reports: Buffer[] = []
  const source = { start: 0, maxLength: MAX_MESSAGE_BYTES }
  for (const uid of uids.slice(0, MAX_REPORTS)) {
    const message = await client.fetchOne(String(uid), { source }, { uid: true })
    if (message !== false && message.source) reports.push(message.source)
  }
  // Reports beyond MAX_REPORTS are the first of the next call.
  const uid = uids.length > MAX_REPORTS ? uids[MAX_REPORTS]! - 1 : lastUid
  return { reading: { uidvalidity, uid }, reports, hasMore: uid < newestUid }
}
