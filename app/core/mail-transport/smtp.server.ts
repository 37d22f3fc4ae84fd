import { createTransport } from 'nodemailer'
import { checkEmailAddress } from '#app/core/text/email-address.ts'
import { domainOf, type Mailer, type MailOutcome, type MailSender, mailOptions } from './mailer.server.ts'

/** Half of the ten connections that servers commonly allow one client. */
const MAX_CONNECTIONS = 5
/** A connection is renewed after this many messages, since some servers cut it after 1000, and recovering takes more time. */
const MESSAGES_PER_CONNECTION = 500
/** A connection that was idle for this long is not used again, since the network may have dropped it silently. */
const MAX_IDLE_MS = 10_000

/**
 * Opens a mailer that sends over a few open connections to a mail server. nodemailer does not repeat messages, since the mail
 * queue decides on repetition. Mail to another machine goes over TLS only, unless the URL has `?requireTLS=false`.
 * @param url smtp://… (STARTTLS) or smtps://…; its query takes nodemailer's options, such as maxConnections
 */
export function openSmtp(url: string, from: MailSender): Mailer {
  const { hostname } = new URL(url)
  const isThisMachine = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  const transport = createTransport({
    pool: true,
    requireTLS: !isThisMachine,
    name: domainOf(from.address),
    maxConnections: MAX_CONNECTIONS,
    maxMessages: MESSAGES_PER_CONNECTION,
    maxRequeues: 0,
    idleTimeout: MAX_IDLE_MS,
    connectionTimeout: 10_000,
    greetingTimeout: 15_000,
    socketTimeout: 60_000,
    dnsTimeout: 10_000,
    disableFileAccess: true,
    disableUrlAccess: true,
    url,
  })
  return {
    isFolder: false,
    maxConcurrent:
      (transport.transporter as { options?: { maxConnections?: number } }).options?.maxConnections ?? MAX_CONNECTIONS,
    async send(message, signal) {
      // nodemailer reads an address with a line break or quotes as several recipients.
      const addressCheck = checkEmailAddress(message.to)
      if (!addressCheck.ok || addressCheck.address !== message.to)
        return { ok: false, reason: 'refused', code: 'address' }
      try {
        await transport.sendMail({ ...mailOptions(message, from), signal })
        return { ok: true }
      } catch (error) {
        return outcomeOf(error as SmtpFault)
      }
    },
    close: () => transport.close(),
  }
}

interface SmtpFault {
  code?: string
  responseCode?: number
  command?: string
}

/**
 * Returns the outcome of a failed attempt. A 5xx reply to the recipient or to the message itself is final (RFC 5321 §4.2.1). An
 * error of the connection, the sign-in or the sender concerns all messages, so that a wrong password does not empty the queue.
 */
function outcomeOf({ code = 'fault', responseCode, command }: SmtpFault): MailOutcome {
  const label = [responseCode ?? code, command].filter(Boolean).join(' ')
  if (code === 'EABORT') return { ok: false, reason: 'later', code: 'too slow' }
  const concernsMessage = (code === 'EENVELOPE' || code === 'EMESSAGE') && responseCode !== 421
  if (!concernsMessage || command === 'MAIL FROM') return { ok: false, reason: 'unreachable', code: label }
  // 503 means a wrong order of commands, not a bad message. Without a reply code, nodemailer itself refused the message.
  const isFinal = responseCode === undefined || (responseCode >= 500 && responseCode !== 503)
  return { ok: false, reason: isFinal ? 'refused' : 'later', code: label }
}
