/** What a message says, in Spanish. */
export interface Palabras {
  subject: string
  /** What stands beside the subject in a list of messages. */
  preheader: string
  titulo: string
  /** Paragraphs and pieces in between, as text and as a picture of it. */
  cuerpo: Pieza[]
  /** Why somebody gets this, and what to do if it was not them. */
  nota: string
}

export type Pieza =
  | { parrafo: string }
  | { codigo: string }
  | { enlace: string; rotulo: string }
  /** Name and value, on a line of its own. */
  | { dato: string; valor: string }

/** A message of one kind, as the noun writes it that it is about: its words, and how it travels. */
export interface Carta {
  /** For the log and the outbox: lower-case letters. */
  kind: string
  /** @param sitio the site's own origin (settings.publicUrl) */
  palabras(edicion: { nombre: string; anio: number }, sitio: string): Palabras
  /** Somebody waits for it in front of the screen: it goes before the others. */
  urgente?: boolean
  /** How long it is worth sending; five days where nothing is said. */
  lifeMs?: number
  /**
   * Anybody can have it sent to any address, each time as a message of its own: a day after it is done with, its row goes
   * whole, with the address that somebody typed. Of the others the row stays, without words, so that none is sent twice.
   */
  pasajera?: boolean
}

export interface CorreoNuevo extends Carta {
  to: string
  sitio: string
  /** The message's name: queued again under it, it stays one message. */
  idempotencyKey: string
  /** The entry that it belongs to, and with which it goes. */
  inscripcion?: number | undefined
}
