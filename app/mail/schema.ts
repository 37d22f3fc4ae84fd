import type { KeyObject } from 'node:crypto'

export interface MailSender {
  siteUrl: string
  /** Key that encrypts queued mails. */
  key: KeyObject
}

/** The Spanish text of a mail. */
export interface MailText {
  subject: string
  /** Preview text beside the subject in a list of mails. */
  preheader: string
  title: string
  body: LetterPiece[]
  /** Why the recipient gets the mail, and what to do if it is a mistake. */
  note: string
}

export type LetterPiece =
  | { paragraph: string }
  | { code: string }
  | { link: string; label: string }
  /** A name and its value, on one line. */
  | { name: string; value: string }

/** A mail before it has a recipient: its text, and how it travels. */
export interface Letter {
  /** Name in the database, the log and the outbox, of lower-case letters only. */
  kind: string
  /** Writes the text. @param siteUrl the site's own origin (settings.publicUrl) */
  compose(edition: { nombre: string; anio: number }, siteUrl: string): MailText
  /** Whether a person waits for the mail in front of the screen, so that it goes before other mails. */
  isUrgent?: boolean
  /** How long the mail is worth sending; by default five days. */
  lifeMs?: number
  /**
   * Whether any visitor can have the mail sent to any address, each time as a new mail. Its row is then deleted, with the
   * address, a day after the mail was sent or given up. The rows of other mails stay, without their text, so that no mail is sent
   * twice.
   */
  isDeletedAfterSending?: boolean
}

export interface NewMail extends Letter {
  to: string
  sender: MailSender
  /** A second mail with the same key is not queued. */
  idempotencyKey: string
  /** Id of the entry with which the mail is deleted. */
  entryId?: number | undefined
}

/**
 * In order: the mail waits; the mail server accepted it; it is in a folder because there is no mail server; it was refused or
 * given up; it bounced.
 */
export type DeliveryStatus = 'espera' | 'enviado' | 'guardado' | 'rechazado' | 'rebotado'

/** A mail as the organisers see it; its keys are sent as JSON and stay Spanish. */
export interface MailView {
  id: number
  kind: string
  para: string
  /** Moment at which the mail was queued. */
  at: Date
  suerte: DeliveryStatus
  /** Moment since which the mail has its status; undefined while it waits. */
  suerteAt: Date | undefined
  /** Reason and remedy, in Spanish; for a waiting mail, why it was not sent yet. */
  motivo: string | undefined
}
