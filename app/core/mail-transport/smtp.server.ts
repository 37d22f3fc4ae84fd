import { createTransport } from 'nodemailer'
import { checkAddress } from '#app/core/text/email-address.ts'
import { domainOf, type Mailer, type MailOutcome, type MailSender, mailOptions } from './mailer.server.ts'

/** At most this many connections are open; servers commonly allow ten from one client. */
const CONNECTIONS = 5
/** A connection is renewed after this many messages: some servers end it after 1000, and being cut off is slower. */
const MESSAGES_PER_CONNECTION = 500
/** A connection that was idle for this long is not used again, since it may have been dropped silently. */
const IDLE_MS = 10_000

/**
 * Opens a mail server over a few connections that stay open. nodemailer's pool never repeats a message here: the mail queue
 * decides on repetition. Mail to another machine goes over TLS only, unless the address says `?requireTLS=false`.
 * @param url smtp://… (STARTTLS) or smtps://…; its query takes nodemailer's options, such as maxConnections
 */
export function openSmtp(url: string, from: MailSender): Mailer {
  const { hostname } = new URL(url)
  const own = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  const transport = createTransport({
    pool: true,
    requireTLS: !own,
    name: domainOf(from.address),
    maxConnections: CONNECTIONS,
    maxMessages: MESSAGES_PER_CONNECTION,
    maxRequeues: 0,
    idleTimeout: IDLE_MS,
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
    parallel:
      (transport.transporter as { options?: { maxConnections?: number } }).options?.maxConnections ?? CONNECTIONS,
    async send(message, signal) {
      // nodemailer reads an address with a line break or quotes as several recipients.
      const checked = checkAddress(message.to)
      if (!checked.ok || checked.address !== message.to) return { ok: false, reason: 'refused', code: 'address' }
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
 * A 5xx answer to the recipient or to the message itself is final (RFC 5321 §4.2.1). Errors of the connection, the sign-in or
 * the sender concern all messages alike: a wrong password must not throw a whole queue away.
 */
function outcomeOf({ code = 'fault', responseCode, command }: SmtpFault): MailOutcome {
  const label = [responseCode ?? code, command].filter(Boolean).join(' ')
  if (code === 'EABORT') return { ok: false, reason: 'later', code: 'too slow' }
  const ofMessage = (code === 'EENVELOPE' || code === 'EMESSAGE') && responseCode !== 421
  if (!ofMessage || command === 'MAIL FROM') return { ok: false, reason: 'unreachable', code: label }
  // 503 complains of the order of commands, not of the message. Without a number, nodemailer itself refused the message.
  const final = responseCode === undefined || (responseCode >= 500 && responseCode !== 503)
  return { ok: false, reason: final ? 'refused' : 'later', code: label }
}
