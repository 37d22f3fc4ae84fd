import type { KeyObject } from 'node:crypto'

/** The site as the sender of its mail. */
export interface MailSender {
  /** The site's own origin (settings.publicUrl). */
  sitio: string
  /** Encrypts the words until they are carried. */
  llave: KeyObject
}

/** What a message says, in Spanish. */
export interface Words {
  subject: string
  /** What stands beside the subject in a list of messages. */
  preheader: string
  titulo: string
  /** Paragraphs and the pieces between them; each has a text form and an HTML form. */
  cuerpo: Piece[]
  /** Why somebody gets this, and what to do if it was not them. */
  nota: string
}

export type Piece =
  | { parrafo: string }
  | { codigo: string }
  | { enlace: string; rotulo: string }
  /** Name and value, on a line of its own. */
  | { dato: string; valor: string }

/** A message of one kind, written by the noun that it is about: its words, and how it travels. */
export interface Letter {
  /** Its name in the log and the outbox, in lower-case letters. */
  kind: string
  /** @param site the site's own origin (settings.publicUrl) */
  palabras(edition: { nombre: string; anio: number }, site: string): Words
  /** Somebody waits for it in front of the screen: it goes before the others. */
  urgente?: boolean
  /** How long it is worth sending; five days where nothing is said. */
  lifeMs?: number
  /**
   * Anybody can have it sent to any address, each time as a message of its own. So a day after it is done with, its row
   * is deleted, with the address that somebody typed. The rows of other messages stay, without words, so that none is
   * sent twice.
   */
  pasajera?: boolean
}

export interface NewMail extends Letter {
  to: string
  remite: MailSender
  /** The message's name: a second message under it is not queued. */
  idempotencyKey: string
  /** The entry that it belongs to, and with which it is deleted. */
  inscripcion?: number | undefined
}

/**
 * What became of a message: it waits to be carried, the mail server took it, it lies in a folder because there is no mail
 * server, it was refused or given up, it came back.
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
  /** When that was known; undefined: it waits. */
  suerteAt: Date | undefined
  /** Why, and what to do, in Spanish; of a message that waits, why it has not gone yet. */
  motivo: string | undefined
}
