/** What a message says; its words are in plantilla.server.tsx. */
export type ContenidoCorreo =
  /** A one-time code of six digits, in force for so many minutes. */
  | { kind: 'codigo'; codigo: string; minutos: number }
  /** To an account with a role, for which a one-time code was asked: it enters by its password. */
  | { kind: 'puerta' }
  /** To an accredited outlet: where it sets its password, and until when it can. */
  | { kind: 'acreditacion'; medio: string; enlace: string; vence: Date }
  /** To an accredited outlet that has its password: how its accreditation stands now. */
  | { kind: 'vigencia'; medio: string; hasta: Date | undefined }
  /** To a new organiser: where to set the password, and until when. */
  | { kind: 'invitacion'; enlace: string; vence: Date }
  /** A costume's registration is stored: what its designer follows it with. */
  | { kind: 'inscripcion'; folio: string }
  /** A document of an entry is asked for again: which, what is wrong with it, and the folio to send it by. */
  | { kind: 'documento'; documento: string; nota: string; folio: string }
  /** The password was changed then (by the site's clock). */
  | { kind: 'clave'; cuando: Date }
  /** What a voter finds the own vote by, once the vote is closed. */
  | { kind: 'recibo'; recibo: string }

export type CorreoNuevo = ContenidoCorreo & {
  to: string
  /** The site's own origin (settings.publicUrl). */
  sitio: string
  /** The message's name: queued again under it, it stays one message. */
  idempotencyKey: string
}
