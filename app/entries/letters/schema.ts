import type { EntryState, NotifiableEntry } from '#app/entries/schema.ts'
import type { MailView } from '#app/mail/schema.ts'

/** A state of an entry about which the committee sends a notice. */
export type Occasion = Extract<EntryState, 'aceptada' | 'rechazada' | 'falta-documento'>

export const OCCASIONS: readonly Occasion[] = ['aceptada', 'rechazada', 'falta-documento']

export const OCCASION_NAMES: Readonly<Record<Occasion, string>> = {
  aceptada: 'Aceptada',
  rechazada: 'Rechazada',
  'falta-documento': 'Falta un documento',
}

/** Type of a letter to an entrant: a notice about an occasion, or a message (`WrittenMessage`). */
export type LetterType = Occasion | 'mensaje'

/** A place in a letter's texts, written between braces, that is filled in when the letter is made. */
export type Placeholder = 'nombre' | 'folio' | 'enlace' | 'nota' | 'documentos' | 'certamen'

/** Descriptions of the placeholders, for the organisers. */
export const PLACEHOLDERS: Readonly<Record<Placeholder, string>> = {
  nombre: 'su nombre de pila',
  folio: 'su folio',
  enlace: 'el botón que abre su folio',
  nota: 'la nota que escribieron para la persona',
  documentos: 'los documentos que faltan, con qué les falta',
  certamen: 'el certamen y su año',
}

export const placeholdersOf = (type: LetterType): Placeholder[] => [
  'nombre',
  'folio',
  'enlace',
  ...(type === 'mensaje' ? [] : (['nota'] as const)),
  ...(type === 'falta-documento' || type === 'mensaje' ? (['documentos'] as const) : []),
  'certamen',
]

/** Texts of a letter, with placeholders, as the organisers write them. */
export interface LetterTexts {
  asunto: string
  titulo: string
  texto: string
}

/** One version of an occasion's texts; version 0 is the site's default. */
export interface LetterTemplate extends LetterTexts {
  occasion: Occasion
  version: number
  /** The author's email; null for the site's default, or if the account is gone. */
  author: string | null
  /** Moment of the version; null for the site's default. */
  at: Date | null
}

/** Limits in code points; placeholders count as written. */
export const MAX_LETTER_CHARACTERS: Readonly<Record<keyof LetterTexts, number>> = {
  asunto: 120,
  titulo: 80,
  texto: 3_000,
}

export interface NoticeRecipient extends NotifiableEntry {
  /** Occasion of the entry's state; undefined for a state without a notice. */
  occasion: Occasion | undefined
  /** Notices about the entry's last state change, the newest first. */
  notices: EntryNotice[]
}

/** A mail about an entry's state, with its delivery status. */
export interface EntryNotice extends MailView {
  occasion: Occasion
  /** The author's email; null if the account is gone. */
  author: string | null
}

/** When and where an entrant is asked to come; `code` is in the URL of the calendar file. */
export interface Appointment {
  at: Date
  place: string
  code: string
}

/** Limit of an appointment's place, in code points. */
export const MAX_PLACE_CHARACTERS = 200

/** A message as an organiser typed it; its appointment is optional. */
export type MessageDraft = Record<'asunto' | 'texto' | 'dia' | 'hora' | 'lugar', string>

/** A checked message; its texts still have their placeholders. */
export interface Message extends Omit<LetterTexts, 'titulo'> {
  appointment: Omit<Appointment, 'code'> | undefined
}

/** A message to one entry: an organiser's words, or the cancellation of an appointment. */
export interface WrittenMessage {
  id: number
  /** Id that all messages of one sending share. */
  sendingId: string
  at: Date
  /** The author's email; null if the account is gone. */
  author: string | null
  asunto: string
  /** Text with filled placeholders, and with the appointment. */
  texto: string
  /** Mail with the message; undefined for an entry without a usable email address, whose entrant is told by telephone. */
  mail: MailView | undefined
  /** Appointment that the message makes; undefined without one, and after its cancellation. */
  appointment: Pick<Appointment, 'at' | 'place'> | undefined
}

/** A message with its entrant, and other ways to reach the entrant. */
export interface MessageWithContact extends WrittenMessage, Pick<EntrantContact, 'celular' | 'tel' | 'whatsapp'> {
  entryId: number
  titular: string
}

/** How an entrant can be reached, with the notices and mails so far. */
export interface EntrantContact {
  id: number
  correo: string | null
  celular: string
  /** `tel:` URL; undefined without a complete number. */
  tel: string | undefined
  /** URL that opens WhatsApp with a prepared text; undefined without the entrant's permission or a complete number. */
  whatsapp: string | undefined
  mayUseWhatsApp: boolean
  occasion: Occasion | undefined
  /** Notices about the entry's last state change, the newest first. */
  notices: EntryNotice[]
  /** All mail about the entry, the newest first. */
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

/** Warning in the panel while there is no mail server. */
export const NO_MAIL_SERVER_MESSAGE =
  'Este sitio todavía no manda correos: a nadie le llega nada. Pide a quien cuida el servidor que lo arregle («Estado» le dice cómo); mientras, llama por teléfono, o escribe por WhatsApp a quien lo aceptó.'
