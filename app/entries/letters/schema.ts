import type { EntryState, NotifiableEntry } from '#app/entries/schema.ts'
import type { MailView } from '#app/mail/schema.ts'

/** Occasions of the committee's mail: the states of an entry that mail tells of. */
export type Occasion = Extract<EntryState, 'aceptada' | 'rechazada' | 'falta-documento'>

export const OCCASIONS: readonly Occasion[] = ['aceptada', 'rechazada', 'falta-documento']

export const OCCASION_NAMES: Readonly<Record<Occasion, string>> = {
  aceptada: 'Aceptada',
  rechazada: 'Rechazada',
  'falta-documento': 'Falta un documento',
}

/** Placeholder that a template writes between braces. */
export type Placeholder = 'nombre' | 'folio' | 'enlace' | 'nota' | 'documentos' | 'certamen'

export const PLACEHOLDERS: Readonly<Record<Placeholder, string>> = {
  nombre: 'su nombre de pila',
  folio: 'su folio',
  enlace: 'el botón que abre su folio',
  nota: 'la nota que escribieron para la persona',
  documentos: 'los documentos que faltan, con qué les falta',
  certamen: 'el certamen y su año',
}

/** The placeholders of an occasion, in the order in which they are offered. */
export const placeholdersOf = (occasion: Occasion): Placeholder[] => [
  'nombre',
  'folio',
  'enlace',
  'nota',
  ...(occasion === 'falta-documento' ? (['documentos'] as const) : []),
  'certamen',
]

/** Texts of an occasion's template, as the organisers write them. */
export interface Words {
  asunto: string
  titulo: string
  texto: string
}

/** One version of a template's texts; version 0 is the site's default. */
export interface Template extends Words {
  ocasion: Occasion
  version: number
  /** Email of the author; null for the site's default, or for an account that is gone. */
  author: string | null
  at: Date | null
}

/** Longest texts, in characters. */
export const MAX_CHARACTERS: Readonly<Record<keyof Words, number>> = { asunto: 120, titulo: 80, texto: 3_000 }

/** An entry as the recipient of notices, with its notices so far. */
export interface Recipient extends NotifiableEntry {
  /** Occasion of the entry's state; undefined: no mail tells of it. */
  occasion: Occasion | undefined
  /** Messages about the entry's last change of state, the newest first. */
  notices: Notice[]
}

/** A message that an organiser sent. */
export interface Notice extends MailView {
  ocasion: Occasion
  author: string | null
}

/** How an entrant is reached, and the mail sent so far. */
export interface Contact {
  id: number
  correo: string | null
  celular: string
  /** `tel:` URL; undefined when the typed text holds no complete number. */
  tel: string | undefined
  /** WhatsApp URL with the prepared text; undefined without the entrant's permission or a complete number. */
  whatsapp: string | undefined
  mayUseWhatsApp: boolean
  occasion: Occasion | undefined
  /** Messages about the entry's last change of state. */
  notices: Notice[]
  /** All mail sent, the newest first: notices, acknowledgements of the registration, document requests. */
  mails: MailView[]
  hasSmtp: boolean
}

export type NoticeRefusal = 'borrada' | 'cambio' | 'sin-correo' | 'direccion'

export const NOTICE_MESSAGES: Readonly<Record<NoticeRefusal, string>> = {
  borrada: 'ya no existe',
  cambio: 'mientras tanto alguien la cambió: ábrela y mira cómo está',
  'sin-correo': 'no dejó correo: llámale por teléfono',
  direccion: 'su correo no se puede usar: corrígelo en su inscripción',
}

/** Warning wherever mail is sent, while there is no mail server. */
export const NO_MAIL_SERVER =
  'Este sitio todavía no manda correos: a nadie le llega nada. Pide a quien lo instaló que ponga SMTP_URL (docs/ajustes.md dice cómo); mientras, llama o escribe por WhatsApp.'
