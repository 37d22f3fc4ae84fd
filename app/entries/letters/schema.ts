import type { EntryState, NotifiableEntry } from '#app/entries/schema.ts'
import type { MailView } from '#app/mail/schema.ts'

/** An Occasion is a state of an entry that the committee's mail tells of. */
export type Occasion = Extract<EntryState, 'aceptada' | 'rechazada' | 'falta-documento'>

export const OCCASIONS: readonly Occasion[] = ['aceptada', 'rechazada', 'falta-documento']

export const OCCASION_NAMES: Readonly<Record<Occasion, string>> = {
  aceptada: 'Aceptada',
  rechazada: 'Rechazada',
  'falta-documento': 'Falta un documento',
}

/** A message whose words an organiser writes for the entries that she chose has no occasion. */
export type LetterType = Occasion | 'mensaje'

/** A template writes a Placeholder between braces. */
export type Placeholder = 'nombre' | 'folio' | 'enlace' | 'nota' | 'documentos' | 'certamen'

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

/** Words are the texts of a template, with placeholders, as the organisers write them. */
export interface Words {
  asunto: string
  titulo: string
  texto: string
}

/** A Template is one version of an occasion's texts; version 0 is the site's default. */
export interface Template extends Words {
  ocasion: Occasion
  version: number
  /** The author's email; null for the site's default, or where the account is gone. */
  author: string | null
  at: Date | null
}

/** The limits count code points, placeholders as written. */
export const MAX_CHARACTERS: Readonly<Record<keyof Words, number>> = { asunto: 120, titulo: 80, texto: 3_000 }

/** A Recipient is an entry with its notices so far. */
export interface Recipient extends NotifiableEntry {
  /** The occasion of the entry's state is undefined where no mail tells of that state. */
  occasion: Occasion | undefined
  /** The notices about the entry's last change of state alone, the newest first. */
  notices: Notice[]
}

/** A Notice is a message about an occasion, with its delivery status. */
export interface Notice extends MailView {
  ocasion: Occasion
  author: string | null
}

/** An Appointment asks an entrant to come; the address of its calendar file holds the code. */
export interface Appointment {
  at: Date
  place: string
  code: string
}

export const MAX_PLACE_CHARACTERS = 200

/** A MessageDraft is a message as an organiser typed it; its appointment is optional. */
export type MessageDraft = Record<'asunto' | 'texto' | 'dia' | 'hora' | 'lugar', string>

/** A Message is a draft without faults. */
export interface Message extends Omit<Words, 'titulo'> {
  appointment: Omit<Appointment, 'code'> | undefined
}

/** A WrittenMessage is a message to one entry that an organiser worded. */
export interface WrittenMessage {
  id: number
  /** The messages that were sent together share this id. */
  sendingId: string
  at: Date
  author: string | null
  asunto: string
  /** The words as this person gets them, with the appointment. */
  texto: string
  /** The message is undefined where no mail can go: the person is told by telephone. */
  mail: MailView | undefined
}

/** A ToldEntry is an entry of one sending, with its message and the ways by which it can be reached otherwise. */
export interface MessageWithContact extends WrittenMessage, Pick<Contact, 'celular' | 'tel' | 'whatsapp'> {
  entryId: number
  titular: string
}

export interface Contact {
  id: number
  correo: string | null
  celular: string
  /** The `tel:` URL is undefined when the typed text holds no complete number. */
  tel: string | undefined
  /** The URL opens WhatsApp with the prepared text; undefined without the entrant's permission or a complete number. */
  whatsapp: string | undefined
  mayUseWhatsApp: boolean
  occasion: Occasion | undefined
  /** The notices about the entry's last change of state alone, the newest first. */
  notices: Notice[]
  /** All mail to the entrant: notices, acknowledgements of the registration, document requests. */
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

/** Every screen that sends mail shows this warning while there is no mail server. */
export const NO_MAIL_SERVER_MESSAGE =
  'Este sitio todavía no manda correos: a nadie le llega nada. Pide a quien cuida el servidor que lo arregle («Estado» le dice cómo); mientras, llama o escribe por WhatsApp.'
