import type { SendMailOptions } from 'nodemailer'

/** A message to one recipient. */
export interface MailMessage {
  /** The same at every attempt, so that a receiver recognises a repetition. */
  messageId: string
  /** Kind of the letter, which decides how long the outbox keeps it. */
  kind: string
  /** Address as `checkEmailAddress` returns it. */
  to: string
  subject: string
  text: string
  html: string
  date: Date
}

/**
 * Outcome of an attempt to send a message.
 * - `refused`: the message will never be accepted.
 * - `later`: the message may be accepted later.
 * - `unreachable`: no message can be sent now.
 * `code` gives the reason without personal data: the reply code or the error's code, with the SMTP command if there is one, or a
 * phrase of the mailer such as `too slow`.
 */
export type MailOutcome = { ok: true } | { ok: false; reason: 'refused' | 'later' | 'unreachable'; code: string }

/** Sends mail to a mail server, or stores it in a folder. */
export interface Mailer {
  /** Maximum number of messages that are sent at a time. */
  maxConcurrent: number
  /** Whether messages are stored in a folder instead of reaching their recipients. */
  isFolder: boolean
  /** @param signal aborts the attempt */
  send(message: MailMessage, signal: AbortSignal): Promise<MailOutcome>
  close(): void
}

export interface MailSender {
  name: string
  address: string
}

/** Returns a message for nodemailer. The envelope names its one recipient, so no header can add another. */
export const mailOptions = (message: MailMessage, from: MailSender): SendMailOptions => ({
  messageId: `<${message.messageId}@${domainOf(from.address)}>`,
  date: message.date,
  from,
  to: { name: '', address: message.to },
  envelope: { from: from.address, to: message.to },
  subject: message.subject,
  text: message.text,
  html: message.html,
  // Asks for no automatic replies, such as out-of-office notes (RFC 3834).
  headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
})

export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1)
