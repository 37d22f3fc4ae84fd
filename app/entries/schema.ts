import type { DocumentKind, EntryType, VoterCardSide } from '#app/entries/definitions/document-kinds.ts'

/** What an entry is, however it came: its states and what is shown of it. */

export type EntryState = 'recibida' | 'en-revision' | 'aceptada' | 'rechazada' | 'falta-documento'

/** In the order in which an entry usually goes through them. */
export const STATES: readonly EntryState[] = ['recibida', 'en-revision', 'falta-documento', 'aceptada', 'rechazada']

export const STATE_NAMES: Readonly<Record<EntryState, string>> = {
  recibida: 'recibida',
  'en-revision': 'en revisión',
  aceptada: 'aceptada',
  rechazada: 'rechazada',
  'falta-documento': 'falta documento',
}

export const ENTRY_TYPE_NAMES: Readonly<Record<EntryType, string>> = {
  candidata: 'Candidata',
  traje: 'Traje típico',
}

/** Which entries a list, an export or a print shows. */
export interface EntryFilter {
  edicion: number
  tipo?: EntryType | undefined
  estado?: EntryState | undefined
  /** Outside 18 to 26. */
  fueraDeEdad?: boolean | undefined
  /** As typed: beginnings of words of name, costume, address, telephone or folio. */
  texto?: string | undefined
  /** Only these entries. */
  ids?: number[] | undefined
}

/** An entry as the list shows it. */
export interface Row {
  id: number
  tipo: EntryType
  folio: string
  titular: string
  /** The costume's name. */
  detalle: string | null
  edad: number | null
  estado: EntryState
  /** Kinds of documents that were asked for again and have not come. */
  faltan: number
  recibidaAt: Date
}

/** How many entries there are, by form and state. */
export type Counts = Record<EntryType, Record<EntryState, number>>

export const MAX_NOTE_CHARACTERS = 1000
export const MAX_TEXT_CHARACTERS = 120

/** A document as the panel lists it. */
export interface EntryDocument {
  id: number
  clase: DocumentKind
  lado: VoterCardSide | null
  nombreArchivo: string
  contentType: string
  bytes: number
  recibidoAt: Date
  /** When another took its place. */
  reemplazadoAt: Date | null
}

/** One step of an entry's history. */
interface Change {
  id: number
  at: Date
  de: EntryState
  a: EntryState
  nota: string | null
  /** Whether it is for the person, too: the folio's page shows that of the last step. */
  paraPersona: boolean
  /** An organiser's address; null: the person, by sending what was asked for. */
  quien: string | null
}

/** What an organiser corrected of how to reach the person. */
interface ContactCorrection {
  id: number
  at: Date
  campo: 'celular' | 'correo'
  antes: string | null
  ahora: string | null
  quien: string | null
}

interface DocumentRequest {
  id: number
  clase: DocumentKind
  lado: VoterCardSide | null
  nota: string
  pedidaAt: Date
}

/** A value of a form with its name, and what the organisers are made aware of. */
export interface ShownValue {
  etiqueta: string
  texto: string
  marca: string | undefined
}

/** An entry as it is judged. */
export interface Entry extends Omit<Row, 'faltan'> {
  edicion: number
  version: number
  correo: string | null
  celular: string
  /** The number that is dialled, with plus and country; null: what was typed is no whole number. */
  telefono: string | null
  /** What the form asked for, as the panel shows it. */
  campos: ShownValue[]
  documentos: EntryDocument[]
  /** Both sides of the credential hold the same bytes: taken as it came, and marked. */
  credencialRepetida: boolean
  historia: Change[]
  correcciones: ContactCorrection[]
  solicitudes: DocumentRequest[]
}

/** An entry beside another one, in the order of a list. */
export interface Neighbour {
  id: number
  titular: string
}

/** Where one goes from an entry. */
export interface Neighbours {
  /** As the list shows them: the one above, the one below. */
  anterior: Neighbour | undefined
  siguiente: Neighbour | undefined
  /** The next that nobody has decided about; from the list's beginning again once there is none further down. */
  espera: Neighbour | undefined
}

/** By what two entries may be the same one. */
export type DuplicateReason = 'celular' | 'nombre' | 'archivo'

/** An entry that may be the same one as another. */
export interface LikelyDuplicate extends Neighbour {
  folio: string
  tipo: EntryType
  estado: EntryState
  por: DuplicateReason[]
}

/** What nobody has decided about yet, and waits for nobody but the organisers. */
export const WAITING_STATES: readonly EntryState[] = ['recibida', 'en-revision']

/** Why a change of an entry was not made. */
export type ChangeRefusal =
  /** Somebody else changed it meanwhile. */
  'version' | 'borrada' | 'estado' | 'nota' | 'documento' | 'ya-pedido' | 'sin-cambio' | 'contacto' | 'mismo-contacto'

export const CHANGE_MESSAGES: Readonly<Record<Exclude<ChangeRefusal, 'version'>, string>> = {
  borrada: 'Esta inscripción ya no existe: alguien la borró. Vuelve a la lista.',
  estado: 'Elige a qué estado pasa la inscripción; en ese ya está.',
  nota: `Escribe la nota con ${MAX_NOTE_CHARACTERS} caracteres a lo más; para pedir un documento, di qué le falta.`,
  documento: 'Elige cuál de los documentos de esta inscripción hay que pedir de nuevo.',
  'ya-pedido': 'Ese documento ya se pidió y todavía no llega. Su nota está en la lista de pedidos.',
  'sin-cambio': 'No hay ningún cambio que deshacer.',
  contacto: 'Revisa el contacto: hay un dato que no se puede guardar así.',
  'mismo-contacto': 'No cambiaste nada: el contacto ya era ése.',
}

/** What the person sees of an entry by its folio: whose it is, never its other values, nor the files themselves. */
export interface FolioView {
  folio: string
  tipo: EntryType
  /** The candidate, or who designed the costume. */
  titular: string
  /** The costume's name; null for a candidate. */
  detalle: string | null
  estado: EntryState
  /** ISO moment. */
  recibida: string
  /** What the organisers last said of it, if it was for the person. */
  nota: string | null
  documentos: SeenDocument[]
  /** Documents that are asked for again, and the submission that each may be sent as. */
  solicitudes: { id: number; clase: DocumentKind; lado: VoterCardSide | null; nota: string; entrega: string }[]
}

interface SeenDocument {
  clase: DocumentKind
  lado: VoterCardSide | null
  nombre: string
  /** ISO moment. */
  recibido: string
  /** Another one took its place. */
  reemplazado: boolean
}

/** An entry as somebody may be told of it. */
export interface NotifiableEntry {
  id: number
  tipo: EntryType
  folio: string
  titular: string
  detalle: string | null
  estado: EntryState
  correo: string | null
  celular: string
  /** The number that is dialled, with plus and country; null: what was typed is no whole number. */
  telefono: string | null
  /** The step that brought it to its state; 0 before the first. */
  paso: number
  /** What the organisers wrote for the person with that step; or nothing. */
  nota: string
  /** Documents that are asked for and have not come, one a line, with what is wrong with them. */
  documentos: string
}
