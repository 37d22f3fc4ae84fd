import type { KeyObject } from 'node:crypto'

export interface MailSender {
  siteUrl: string
  /** The key encrypts queued messages. */
  key: KeyObject
}

/** The text of a message is in Spanish. */
export interface MailText {
  subject: string
  /** A list of messages shows this preview text beside the subject. */
  preheader: string
  title: string
  /** Each paragraph and piece has a text form and an HTML form. */
  body: Piece[]
  /** The note says why the recipient gets this message, and what to do when it is a mistake. */
  note: string
}

export type Piece =
  | { paragraph: string }
  | { code: string }
  | { link: string; label: string }
  /** A name and its value stand on one line. */
  | { name: string; value: string }

/** A letter is a message of one kind: its text, and how it travels. */
export interface Letter {
  /** The kind's name in the log and the outbox has lower-case letters only. */
  kind: string
  /** Writes the text. @param site the site's own origin (settings.publicUrl) */
  words(edition: { nombre: string; anio: number }, site: string): MailText
  /** A person waits for the message in front of the screen, so it goes before the others. */
  isUrgent?: boolean
  /** The message is worth sending for this long; five days by default. */
  lifeMs?: number
  /**
   * Every visitor can have a passing message sent to any address, each time as a new message. So its row is deleted with the
   * address a day after the message was sent or given up. The rows of other messages stay, without words, so that no message is
   * sent twice.
   */
  isPassing?: boolean
}

export interface NewMail extends Letter {
  to: string
  sender: MailSender
  /** A second message with this key is not queued. */
  idempotencyKey: string
  /** The message belongs to the entry of this id, and is deleted with it. */
  entryId?: number | undefined
}

/**
 * The delivery status, in order: the message waits; the mail server took it; it lies in a folder because there is no mail server;
 * it was refused or given up; it bounced.
 */
export type DeliveryStatus = 'espera' | 'enviado' | 'guardado' | 'rechazado' | 'rebotado'

/** A mail view is a message as the organisers see it. */
export interface MailView {
  id: number
  kind: string
  para: string
  /** The message was queued at this moment. */
  at: Date
  suerte: DeliveryStatus
  /** The message has its status since this moment; undefined while it waits. */
  suerteAt: Date | undefined
  /** The reason and the remedy are in Spanish; of a waiting message, the reason why it has not gone yet. */
  motivo: string | undefined
}
