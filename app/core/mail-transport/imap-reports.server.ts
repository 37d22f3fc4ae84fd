import { once } from 'node:events'
import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { unescape as percentDecoded } from 'node:querystring'
import { connect as connectTls } from 'node:tls'

const CONNECT_MS = 15_000
const SILENT_MS = 30_000
/** Bytes read of one message: a report has a few thousand, and returns about as many of the original message. */
const MAX_MESSAGE_BYTES = 256 * 1024
/** Bytes read of a message's Content-Type, which a sender may make as long as the server allows. */
const MAX_HEAD_BYTES = 200
/** Longest answer that is accepted; no expected answer comes near it. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024
/** Messages checked in one turn, and how far back the first turn goes. */
const WINDOW = 500
const MAX_REPORTS = 50

/** How far a mailbox was read, in the server's numbers, which hold while `uidvalidity` stays (RFC 3501 §2.3.1.1). */
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
 *
 * Uses a part of IMAP4rev1: sign-in, EXAMINE and UID FETCH, one command at a time.
 * @param url imaps://user:password@server/folder; imap:// only to this machine
 * @param antes how far an earlier call read; without it, or when the server has renumbered, the last messages are read
 * @returns the raw reports, how far the mailbox is read now, and whether messages remain
 * @throws MailboxError
 * @source RFC 3501; RFC 4616 for the sign-in
 */
export async function readReports(
  url: string,
  before: Reading | undefined,
): Promise<{ reading: Reading; reports: Buffer[]; hasMore: boolean }> {
  const { hostname, port, protocol, username, password, pathname } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const socket =
    protocol === 'imaps:'
      ? connectTls({ host, port: Number(port || 993), ...(isIP(host) === 0 && { servername: host }) })
      : connectPlain({ host, port: Number(port || 143) })
  // An error reaches the pending read; without a pending read it does not matter.
  socket.on('error', () => {})
  socket.setTimeout(SILENT_MS, () => socket.destroy(new Error('silence')))
  const limit = setTimeout(() => socket.destroy(new Error('slow to connect')), CONNECT_MS)
  try {
    await once(socket, protocol === 'imaps:' ? 'secureConnect' : 'connect')
    const imap = new ImapConnection(socket)
    await imap.greet()
    clearTimeout(limit)
    await imap.enter(percentDecoded(username), percentDecoded(password))
    const read = await readFolder(imap, percentDecoded(pathname.slice(1)) || 'INBOX', before)
    await imap.ask('LOGOUT').catch(() => {})
    return read
  } catch (error) {
    throw error instanceof MailboxError ? error : new MailboxError('conexion', (error as Error).message)
  } finally {
    clearTimeout(limit)
    socket.destroy()
  }
}

async function readFolder(imap: ImapConnection, folder: string, before: Reading | undefined) {
  const opened = await imap.ask(`EXAMINE ${quoted(folder)}`, 'carpeta')
  const number = (name: string) =>
    Number(opened.map(({ text }) => new RegExp(`\\[${name} (\\d+)\\]`).exec(text)?.[1]).find(Boolean) ?? 0)
  const [uidvalidity, uidnext] = [number('UIDVALIDITY'), number('UIDNEXT')]
  if (!uidvalidity || !uidnext) throw new MailboxError('respuesta', 'no numbers')
  const last = uidnext - 1
  const from = before?.uidvalidity === uidvalidity ? before.uid + 1 : Math.max(1, uidnext - WINDOW)
  if (from > last) return { reading: { uidvalidity, uid: last }, reports: [], hasMore: false }
  const to = Math.min(last, from + WINDOW - 1)
  const heads = await imap.ask(
    `UID FETCH ${from}:${to} (UID BODY.PEEK[HEADER.FIELDS (CONTENT-TYPE)]<0.${MAX_HEAD_BYTES}>)`,
    'respuesta',
  )
  const uids = heads
    .filter(({ literals: [head] }) => /^content-type:\s*multipart\/report\b/i.test(head?.toString('latin1') ?? ''))
    .map(({ text }) => Number(/\bUID (\d+)/.exec(text)?.[1]))
    .filter((uid) => uid >= from && uid <= to)
    .sort((a, b) => a - b)
  const reports: Buffer[] = []
  for (const uid of uids.slice(0, MAX_REPORTS)) {
    const body = await imap.ask(`UID FETCH ${uid} (UID BODY.PEEK[]<0.${MAX_MESSAGE_BYTES}>)`, 'respuesta')
    const found = body.find(({ literals }) => literals.length > 0)?.literals[0]
    if (found) reports.push(found)
  }
  // Reports beyond MAX_REPORTS are the first of the next turn.
  const uid = uids.length > MAX_REPORTS ? uids[MAX_REPORTS]! - 1 : to
  return { reading: { uidvalidity, uid }, reports, hasMore: uid < last }
}

const quoted = (text: string) => {
  if (!/^[\x20-\x7e]*$/.test(text)) throw new MailboxError('carpeta', 'a folder beyond ASCII')
  return `"${text.replace(/[\\"]/g, '\\$&')}"`
}

/** One answer of the server: its text, and its literals (RFC 3501 §4.3). */
interface Answer {
  text: string
  literals: Buffer[]
}

/** Sends commands over one connection and reads their answers, one at a time. */
class ImapConnection {
  readonly #socket: Socket
  readonly #pieces: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)
  #tag = 0
  #answered = 0

  constructor(socket: Socket) {
    this.#socket = socket
    this.#pieces = socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  }

  async greet(): Promise<void> {
    const { text } = await this.#read()
    if (!/^\* OK\b/i.test(text)) throw new MailboxError('conexion', 'no greeting')
  }

  async enter(user: string, password: string): Promise<void> {
    const proof = Buffer.from(`\0${user}\0${password}`).toString('base64')
    await this.ask('AUTHENTICATE PLAIN', 'entrada', proof)
  }

  /**
   * @param more sent when the server asks for the rest of the command
   * @throws MailboxError with `code` when the command is refused
   */
  async ask(command: string, code: MailboxError['code'] = 'respuesta', more?: string): Promise<Answer[]> {
    const tag = `a${++this.#tag}`
    this.#answered = 0
    this.#socket.write(`${tag} ${command}\r\n`)
    const answers: Answer[] = []
    for (;;) {
      const answer = await this.#read()
      if (answer.text.startsWith('+')) {
        if (more === undefined) throw new MailboxError('respuesta', 'asked for more')
        this.#socket.write(`${more}\r\n`)
      } else if (answer.text.startsWith(`${tag} `)) {
        // The server's text may name a person, so it is not passed on.
        if (!/^\S+ OK\b/i.test(answer.text)) throw new MailboxError(code, `${command.split(' ')[0]} refused`)
        return answers
      } else answers.push(answer)
    }
  }

  async #read(): Promise<Answer> {
    const literals: Buffer[] = []
    let text = ''
    for (;;) {
      text += (await this.#line()).toString('latin1')
      const size = /\{(\d+)\}$/.exec(text)?.[1]
      if (size === undefined) return { text, literals }
      literals.push(await this.#bytes(Number(size)))
    }
  }

  async #line(): Promise<Buffer> {
    let end = this.#rest.indexOf('\r\n')
    while (end < 0) {
      await this.#more()
      end = this.#rest.indexOf('\r\n')
    }
    return this.#take(end, end + 2)
  }

  async #bytes(size: number): Promise<Buffer> {
    if (size > MAX_ANSWER_BYTES) throw new MailboxError('respuesta', 'too long')
    while (this.#rest.length < size) await this.#more()
    return this.#take(size, size)
  }

  #take(end: number, next: number): Buffer {
    const taken = this.#rest.subarray(0, end)
    this.#rest = this.#rest.subarray(next)
    return taken
  }

  async #more(): Promise<void> {
    const { value, done } = await this.#pieces.next()
    if (done) throw new MailboxError('conexion', 'hung up')
    this.#answered += value.length
    if (this.#answered > MAX_ANSWER_BYTES) throw new MailboxError('respuesta', 'too long')
    this.#rest = Buffer.concat([this.#rest, value])
  }
}
