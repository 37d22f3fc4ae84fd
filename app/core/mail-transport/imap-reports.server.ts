import { once } from 'node:events'
import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { unescape as percentDecoded } from 'node:querystring'
import { connect as connectTls } from 'node:tls'

const CONNECT_MS = 15_000
const SILENT_MS = 30_000
/** Of one message: a report is a few thousand bytes, and what it returns of ours not many more. */
const MAX_MESSAGE_BYTES = 256 * 1024
/** Of the one line that says what a message is: a sender may make it as long as his server lets him. */
const MAX_HEAD_BYTES = 200
/** No answer that is asked for here comes near it. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024
/** Messages looked at in one turn, and how far back the first turn goes. */
const WINDOW = 500
const MAX_REPORTS = 50

/** How far a mailbox was read: numbers that its server gives, good while `uidvalidity` stays. */
export interface Reading {
  uidvalidity: number
  uid: number
}

/** What a mailbox's server said instead of what was asked for; `code` says it without naming anybody. */
export class MailboxError extends Error {
  override name = 'MailboxError'
  readonly code: 'conexion' | 'entrada' | 'carpeta' | 'respuesta'
  constructor(code: MailboxError['code'], message: string) {
    super(message)
    this.code = code
  }
}

/**
 * Reads what has come into a mailbox and calls itself a report (multipart/report), and nothing else of it. The mailbox is
 * opened for reading only: nothing in it is marked, moved or deleted, so people may read it, too.
 *
 * This is the part of IMAP4rev1 that takes: signing in, EXAMINE and UID FETCH, one command at a time.
 * @param url imaps://user:password@server/folder; imap:// only to this machine
 * @param antes how far it was read before; without it, or when its server has numbered anew, its last messages are read
 * @returns the reports as they came, and how far it is read now
 * @throws MailboxError
 * @source RFC 3501; RFC 4616 for the sign-in
 */
export async function readReports(
  url: string,
  antes: Reading | undefined,
): Promise<{ leido: Reading; reportes: Buffer[]; quedan: boolean }> {
  const { hostname, port, protocol, username, password, pathname } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const socket =
    protocol === 'imaps:'
      ? connectTls({ host, port: Number(port || 993), ...(isIP(host) === 0 && { servername: host }) })
      : connectPlain({ host, port: Number(port || 143) })
  // Whoever waits for an answer is told of it; when nobody does, there is nobody to tell.
  socket.on('error', () => {})
  socket.setTimeout(SILENT_MS, () => socket.destroy(new Error('silence')))
  const limit = setTimeout(() => socket.destroy(new Error('slow to connect')), CONNECT_MS)
  try {
    await once(socket, protocol === 'imaps:' ? 'secureConnect' : 'connect')
    const imap = new ImapConnection(socket)
    await imap.greet()
    clearTimeout(limit)
    await imap.enter(percentDecoded(username), percentDecoded(password))
    const read = await readFolder(imap, percentDecoded(pathname.slice(1)) || 'INBOX', antes)
    await imap.ask('LOGOUT').catch(() => {})
    return read
  } catch (error) {
    throw error instanceof MailboxError ? error : new MailboxError('conexion', (error as Error).message)
  } finally {
    clearTimeout(limit)
    socket.destroy()
  }
}

async function readFolder(imap: ImapConnection, folder: string, antes: Reading | undefined) {
  const opened = await imap.ask(`EXAMINE ${quoted(folder)}`, 'carpeta')
  const number = (name: string) =>
    Number(opened.map(({ text }) => new RegExp(`\\[${name} (\\d+)\\]`).exec(text)?.[1]).find(Boolean) ?? 0)
  const [uidvalidity, uidnext] = [number('UIDVALIDITY'), number('UIDNEXT')]
  if (!uidvalidity || !uidnext) throw new MailboxError('respuesta', 'no numbers')
  const last = uidnext - 1
  const from = antes?.uidvalidity === uidvalidity ? antes.uid + 1 : Math.max(1, uidnext - WINDOW)
  if (from > last) return { leido: { uidvalidity, uid: last }, reportes: [], quedan: false }
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
  // Those that found no room are the first of the next turn.
  const uid = uids.length > MAX_REPORTS ? uids[MAX_REPORTS]! - 1 : to
  return { leido: { uidvalidity, uid }, reportes: reports, quedan: uid < last }
}

const quoted = (text: string) => {
  if (!/^[\x20-\x7e]*$/.test(text)) throw new MailboxError('carpeta', 'a folder beyond ASCII')
  return `"${text.replace(/[\\"]/g, '\\$&')}"`
}

/** One answer of the server: its text, and the pieces that it gave by length. */
interface Answer {
  text: string
  literals: Buffer[]
}

/** Commands and their answers over one connection, one after the other. */
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
   * @throws MailboxError with this code when it is refused
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
        // What the server says of it may name somebody, and stays where it is.
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
