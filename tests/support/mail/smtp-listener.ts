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
  /** All recipients in the order in which they were named, refused ones included. */
  recipients: string[]
  close(): Promise<void>
}

export interface SmtpBehavior {
  port?: number
  host?: string
  /** Returns the reply code to a recipient; any other than 250 refuses. */
  onRecipient?: (address: string, attempt: number) => number
  /**
   * Returns what happens to a mail after DATA: `hangUp` cuts the connection in the middle of the mail, `hangUpAfter` between the
   * mail and the reply; a number is the reply code.
   */
  onData?: (to: string, attempt: number) => 'hangUp' | 'hangUpAfter' | number | undefined
  /** Delay of the reply to a mail. */
  delayMs?: number
  server?: SMTPServerOptions
}

/** Starts a mail server on this machine that can misbehave as real servers do. */
export async function listenSmtp(behavior: SmtpBehavior = {}): Promise<SmtpListener> {
  const accepted: AcceptedMail[] = []
  const recipients: string[] = []
  const attemptsByKey = new Map<string, number>()
  const sockets = new Set<Socket>()
  const countAttempt = (key: string) => {
    const attempt = (attemptsByKey.get(key) ?? 0) + 1
    attemptsByKey.set(key, attempt)
    return attempt
  }
  const refusalOf = (responseCode: number) => Object.assign(new Error(`answer ${responseCode}`), { responseCode })
  const socketOf = (session: SMTPServerSession) =>
    [...sockets].find(({ remotePort }) => remotePort === session.remotePort)

  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    disableReverseLookup: true,
    logger: false,
    onRcptTo({ address }, _session, callback) {
      recipients.push(address)
      const replyCode = behavior.onRecipient?.(address, countAttempt(`rcpt ${address}`)) ?? 250
      callback(replyCode === 250 ? null : refusalOf(replyCode))
    },
    onData(stream, session, callback) {
      const to = session.envelope.rcptTo.map(({ address }) => address)
      const from = session.envelope.mailFrom === false ? '' : session.envelope.mailFrom.address
      const outcome = behavior.onData?.(to[0] ?? '', countAttempt(`data ${to[0]}`))
      if (outcome === 'hangUp') {
        stream.once('data', () => socketOf(session)?.destroy())
        return
      }
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', async () => {
        if (behavior.delayMs) await sleep(behavior.delayMs, undefined, { ref: false })
        if (typeof outcome === 'number') {
          callback(refusalOf(outcome))
          return
        }
        const raw = Buffer.concat(chunks).toString()
        accepted.push({ to, from, raw, messageId: /^Message-ID: <(.+)>/im.exec(raw)?.[1] ?? '' })
        if (outcome === 'hangUpAfter') socketOf(session)?.destroy()
        else callback(null)
      })
    },
    ...behavior.server,
  })
  server.on('error', () => {})
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(behavior.port ?? 0, behavior.host ?? '127.0.0.1', resolve))
  const address = server.server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `smtp://${address.address}:${address.port}`,
    port: address.port,
    accepted,
    recipients,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
