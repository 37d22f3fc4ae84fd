import type { SendMailOptions } from 'nodemailer'

/** One message to one person. */
export interface MailMessage {
  /** The same at every attempt, so that a receiver who has the message already recognises the repetition. */
  messageId: string
  kind: string
  /** The address as checkAddress returned it. */
  to: string
  subject: string
  text: string
  html: string
  date: Date
}

/**
 * What became of an attempt.
 * `refused`: not this message, ever · `later`: not this message, now · `unreachable`: no message at all, now.
 * `code` says why without naming anybody: a reply's number and the command that it answered, or the name of the fault.
 */
export type MailOutcome = { ok: true } | { ok: false; reason: 'refused' | 'later' | 'unreachable'; code: string }

/** Where mail goes: a server, or a folder. */
export interface Mailer {
  /** How many messages it takes at a time. */
  parallel: number
  /** Nobody gets what it takes: there is no mail server. */
  isFolder: boolean
  /** @param signal breaks the attempt off */
  send(message: MailMessage, signal: AbortSignal): Promise<MailOutcome>
  close(): void
}

export interface MailSender {
  name: string
  address: string
}

/** @returns the message for nodemailer; its envelope names one recipient and no header can add another */
export const mailOptions = (message: MailMessage, from: MailSender): SendMailOptions => ({
  messageId: `<${message.messageId}@${domainOf(from.address)}>`,
  date: message.date,
  from,
  to: { name: '', address: message.to },
  envelope: { from: from.address, to: message.to },
  subject: message.subject,
  text: message.text,
  html: message.html,
  // Out-of-office answers are for people.
  headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
})

export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1)
