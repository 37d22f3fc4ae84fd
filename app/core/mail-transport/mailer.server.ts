import type { SendMailOptions } from 'nodemailer'

/** A MailMessage goes to one recipient. */
export interface MailMessage {
  /** The id is the same at every attempt, so that a receiver recognises a repetition. */
  messageId: string
  kind: string
  /** The address must be as `checkAddress` returns it. */
  to: string
  subject: string
  text: string
  html: string
  date: Date
}

/**
 * Outcome of an attempt.
 * `refused`: never this message · `later`: not this message now · `unreachable`: no message now.
 * `code` tells the reason without naming a person: the reply's number and the command that it answered, or the error's name.
 */
export type MailOutcome = { ok: true } | { ok: false; reason: 'refused' | 'later' | 'unreachable'; code: string }

/** A Mailer leads to a mail server, or to a folder. */
export interface Mailer {
  /** At most this many messages are sent at a time. */
  parallel: number
  /** There is no mail server: messages reach no recipient. */
  isFolder: boolean
  /** @param signal aborts the attempt */
  send(message: MailMessage, signal: AbortSignal): Promise<MailOutcome>
  close(): void
}

export interface MailSender {
  name: string
  address: string
}

/** @returns the message for nodemailer; its envelope names one recipient, and no header can add another */
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
