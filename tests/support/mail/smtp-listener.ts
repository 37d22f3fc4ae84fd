import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server'

export interface AcceptedMail {
  to: string[]
  from: string
  messageId: string
  raw: string
}

export interface SmtpListener {
  url: string
  port: number
  accepted: AcceptedMail[]
  /** The recipients stand in the order in which they were named, refused ones too. */
  asked: string[]
  close(): Promise<void>
}

export interface SmtpBehavior {
  port?: number
  host?: string
  /** Returns the reply to a recipient: a number other than 250 refuses. */
  onRecipient?: (address: string, nth: number) => number
  /**
   * The fate of a message after DATA: `hangUp` cuts the connection in the middle of the message, `hangUpAfter` between
   * the message and the reply; a number is the reply.
   */
  onData?: (to: string, nth: number) => 'hangUp' | 'hangUpAfter' | number | undefined
  /** The reply to a message comes after this many milliseconds. */
  delayMs?: number
  server?: SMTPServerOptions
}

/** Listens as a real mail server on this machine that can misbehave as servers outside do. */
export async function listenSmtp(manners: SmtpBehavior = {}): Promise<SmtpListener> {
  const accepted: AcceptedMail[] = []
  const recipients: string[] = []
  const times = new Map<string, number>()
  const sockets = new Set<Socket>()
  const count = (what: string) => {
    const nth = (times.get(what) ?? 0) + 1
    times.set(what, nth)
    return nth
  }
  const refusal = (responseCode: number) => Object.assign(new Error(`answer ${responseCode}`), { responseCode })
  const socketOf = (session: SMTPServerSession) =>
    [...sockets].find(({ remotePort }) => remotePort === session.remotePort)

  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    disableReverseLookup: true,
    logger: false,
    onRcptTo({ address }, _session, callback) {
      recipients.push(address)
      const answer = manners.onRecipient?.(address, count(`rcpt ${address}`)) ?? 250
      callback(answer === 250 ? null : refusal(answer))
    },
    onData(stream, session, callback) {
      const to = session.envelope.rcptTo.map(({ address }) => address)
      const from = session.envelope.mailFrom === false ? '' : session.envelope.mailFrom.address
      const fate = manners.onData?.(to[0] ?? '', count(`data ${to[0]}`))
      if (fate === 'hangUp') {
        stream.once('data', () => socketOf(session)?.destroy())
        return
      }
      const pieces: Buffer[] = []
      stream.on('data', (piece: Buffer) => pieces.push(piece))
      stream.on('end', async () => {
        if (manners.delayMs) await sleep(manners.delayMs, undefined, { ref: false })
        if (typeof fate === 'number') {
          callback(refusal(fate))
          return
        }
        const raw = Buffer.concat(pieces).toString()
        accepted.push({ to, from, raw, messageId: /^Message-ID: <(.+)>/im.exec(raw)?.[1] ?? '' })
        if (fate === 'hangUpAfter') socketOf(session)?.destroy()
        else callback(null)
      })
    },
    ...manners.server,
  })
  server.on('error', () => {})
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(manners.port ?? 0, manners.host ?? '127.0.0.1', resolve))
  const address = server.server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `smtp://${address.address}:${address.port}`,
    port: address.port,
    accepted,
    asked: recipients,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
