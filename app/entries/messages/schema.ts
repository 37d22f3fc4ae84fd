import type { Avisable, EstadoInscripcion } from '#app/entries/schema.ts'
import type { CorreoVisto } from '#app/mail/schema.ts'

/** What the committee tells people by mail: each is the state of an entry that it tells of. */
export type Ocasion = Extract<EstadoInscripcion, 'aceptada' | 'rechazada' | 'falta-documento'>

export const OCASIONES: readonly Ocasion[] = ['aceptada', 'rechazada', 'falta-documento']

export const NOMBRE_DE_OCASION: Readonly<Record<Ocasion, string>> = {
  aceptada: 'Aceptada',
  rechazada: 'Rechazada',
  'falta-documento': 'Falta un documento',
}

/** What is put into a message's words in the place of its name between braces. */
export type Hueco = 'nombre' | 'folio' | 'enlace' | 'nota' | 'documentos' | 'certamen'

export const HUECOS: Readonly<Record<Hueco, string>> = {
  nombre: 'su nombre de pila',
  folio: 'su folio',
  enlace: 'el botón que abre su folio',
  nota: 'la nota que escribieron para la persona',
  documentos: 'los documentos que faltan, con qué les falta',
  certamen: 'el certamen y su año',
}

/** In the order in which they are offered. */
export const huecosDe = (ocasion: Ocasion): Hueco[] => [
  'nombre',
  'folio',
  'enlace',
  'nota',
  ...(ocasion === 'falta-documento' ? (['documentos'] as const) : []),
  'certamen',
]

/** Words of an occasion, as the organisers write them. */
export interface Palabras {
  asunto: string
  titulo: string
  texto: string
}

/** Words with where they come from. Version 0 is the site's own. */
export interface Plantilla extends Palabras {
  ocasion: Ocasion
  version: number
  /** An organiser's address; null: the site's own words, or an account that is gone. */
  quien: string | null
  at: Date | null
}

/** In characters. */
export const MAXIMOS: Readonly<Record<keyof Palabras, number>> = { asunto: 120, titulo: 80, texto: 3_000 }

/** An entry as somebody may be told of it, with what has been. */
export interface Destinataria extends Avisable {
  /** What can be told now; undefined: its state is none that is told by mail. */
  ocasion: Ocasion | undefined
  /** Messages about that step, the newest first. */
  avisos: Aviso[]
}

/** A message that an organiser had sent. */
export interface Aviso extends CorreoVisto {
  ocasion: Ocasion
  quien: string | null
}

/** How an entry's person is reached, and what was sent. */
export interface Contacto {
  id: number
  correo: string | null
  celular: string
  /** `tel:` address; undefined: what was typed is no number. */
  tel: string | undefined
  /** WhatsApp's address with the text prepared; undefined: she does not allow it, or the number is none. */
  whatsapp: string | undefined
  permiteWhatsApp: boolean
  ocasion: Ocasion | undefined
  /** Messages about the step that the entry stands at. */
  avisos: Aviso[]
  /** Everything that was sent, the newest first: those, receipts of the registration, and what was asked for. */
  correos: CorreoVisto[]
  haySmtp: boolean
}

export type MotivoDeAviso = 'borrada' | 'cambio' | 'sin-correo' | 'direccion'

export const MENSAJES_DE_AVISO: Readonly<Record<MotivoDeAviso, string>> = {
  borrada: 'ya no existe',
  cambio: 'mientras tanto alguien la cambió: ábrela y mira cómo está',
  'sin-correo': 'no dejó correo: llámale por teléfono',
  direccion: 'su correo no se puede usar: corrígelo en su inscripción',
}

/** What is said wherever mail is sent, while there is no mail server. */
export const SIN_SERVIDOR =
  'Este sitio todavía no manda correos: a nadie le llega nada. Pide a quien lo instaló que ponga SMTP_URL (el README dice cómo); mientras, llama o escribe por WhatsApp.'
