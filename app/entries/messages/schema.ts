import type { EntryState, NotifiableEntry } from '#app/entries/schema.ts'
import type { MailView } from '#app/mail/schema.ts'

/** What the committee tells people by mail: each is the state of an entry that it tells of. */
export type Occasion = Extract<EntryState, 'aceptada' | 'rechazada' | 'falta-documento'>

export const OCCASIONS: readonly Occasion[] = ['aceptada', 'rechazada', 'falta-documento']

export const OCCASION_NAMES: Readonly<Record<Occasion, string>> = {
  aceptada: 'Aceptada',
  rechazada: 'Rechazada',
  'falta-documento': 'Falta un documento',
}

/** What is put into a message's words in the place of its name between braces. */
export type Placeholder = 'nombre' | 'folio' | 'enlace' | 'nota' | 'documentos' | 'certamen'

export const PLACEHOLDERS: Readonly<Record<Placeholder, string>> = {
  nombre: 'su nombre de pila',
  folio: 'su folio',
  enlace: 'el botón que abre su folio',
  nota: 'la nota que escribieron para la persona',
  documentos: 'los documentos que faltan, con qué les falta',
  certamen: 'el certamen y su año',
}

/** In the order in which they are offered. */
export const placeholdersOf = (occasion: Occasion): Placeholder[] => [
  'nombre',
  'folio',
  'enlace',
  'nota',
  ...(occasion === 'falta-documento' ? (['documentos'] as const) : []),
  'certamen',
]

/** Words of an occasion, as the organisers write them. */
export interface Words {
  asunto: string
  titulo: string
  texto: string
}

/** Words with where they come from. Version 0 is the site's own. */
export interface Template extends Words {
  ocasion: Occasion
  version: number
  /** An organiser's address; null: the site's own words, or an account that is gone. */
  quien: string | null
  at: Date | null
}

/** In characters. */
export const MAX_CHARACTERS: Readonly<Record<keyof Words, number>> = { asunto: 120, titulo: 80, texto: 3_000 }

/** An entry as somebody may be told of it, with what has been. */
export interface Recipient extends NotifiableEntry {
  /** What can be told now; undefined: its state is none that is told by mail. */
  ocasion: Occasion | undefined
  /** Messages about that step, the newest first. */
  avisos: Aviso[]
}

/** A message that an organiser had sent. */
export interface Aviso extends MailView {
  ocasion: Occasion
  quien: string | null
}

/** How an entry's person is reached, and what was sent. */
export interface Contact {
  id: number
  correo: string | null
  celular: string
  /** `tel:` address; undefined: what was typed is no number. */
  tel: string | undefined
  /** WhatsApp's address with the text prepared; undefined: she does not allow it, or the number is none. */
  whatsapp: string | undefined
  permiteWhatsApp: boolean
  ocasion: Occasion | undefined
  /** Messages about the step that the entry stands at. */
  avisos: Aviso[]
  /** Everything that was sent, the newest first: those, receipts of the registration, and what was asked for. */
  correos: MailView[]
  haySmtp: boolean
}

export type NoticeRefusal = 'borrada' | 'cambio' | 'sin-correo' | 'direccion'

export const NOTICE_MESSAGES: Readonly<Record<NoticeRefusal, string>> = {
  borrada: 'ya no existe',
  cambio: 'mientras tanto alguien la cambió: ábrela y mira cómo está',
  'sin-correo': 'no dejó correo: llámale por teléfono',
  direccion: 'su correo no se puede usar: corrígelo en su inscripción',
}

/** What is said wherever mail is sent, while there is no mail server. */
export const NO_MAIL_SERVER =
  'Este sitio todavía no manda correos: a nadie le llega nada. Pide a quien lo instaló que ponga SMTP_URL (el README dice cómo); mientras, llama o escribe por WhatsApp.'
