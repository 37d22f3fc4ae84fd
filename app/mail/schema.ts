import type { KeyObject } from 'node:crypto'

/** The site as the sender of its mail. */
export interface MailSender {
  /** The site's own origin (settings.publicUrl). */
  siteUrl: string
  /** Key that encrypts queued messages. */
  key: KeyObject
}

/** The text of a message, in Spanish. */
export interface Words {
  subject: string
  /** Preview text, which a list of messages shows beside the subject. */
  preheader: string
  title: string
  /** Paragraphs and the pieces between them; each has a text form and an HTML form. */
  body: Piece[]
  /** Why the recipient gets this message, and what to do when it is a mistake. */
  note: string
}

export type Piece =
  | { paragraph: string }
  | { code: string }
  | { link: string; label: string }
  /** A name and its value, on one line. */
  | { name: string; value: string }

/** A message of one kind: its text, and how it travels. */
export interface Letter {
  /** Name of the kind in the log and the outbox, in lower-case letters. */
  kind: string
  /** @param site the site's own origin (settings.publicUrl) */
  words(edition: { nombre: string; anio: number }, site: string): Words
  /** A person waits for the message in front of the screen: it goes before the others. */
  isUrgent?: boolean
  /** How long the message is worth sending; five days by default. */
  lifeMs?: number
  /**
   * A passing message: every visitor can have it sent to any address, each time as a new message. So its row is deleted a
   * day after it was sent or given up, with the address. The rows of other messages stay, without words, so that none is
   * sent twice.
   */
  isPassing?: boolean
}

export interface NewMail extends Letter {
  to: string
  sender: MailSender
  /** A second message with this key is not queued. */
  idempotencyKey: string
  /** The entry that the message belongs to, and with which it is deleted. */
  inscripcion?: number | undefined
}

/**
 * The delivery status of a message: it waits, the mail server took it, it lies in a folder because there is no mail
 * server, it was refused or given up, it bounced.
 */
export type DeliveryStatus = 'espera' | 'enviado' | 'guardado' | 'rechazado' | 'rebotado'

/** A message as the organisers see it. */
export interface MailView {
  id: number
  kind: string
  para: string
  /** When it was queued. */
  at: Date
  suerte: DeliveryStatus
  /** Since when the message has this status; undefined: it waits. */
  suerteAt: Date | undefined
  /** Why, and what to do, in Spanish; of a waiting message, why it has not gone yet. */
  motivo: string | undefined
}
