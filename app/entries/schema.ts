import type { DocumentKind, EntryType, VoterCardSide } from '#app/entries/definitions/document-kinds.ts'

/** Shapes of an entry that browser and server share, whichever form it came by. */

export type EntryState = 'recibida' | 'en-revision' | 'aceptada' | 'rechazada' | 'falta-documento'

/** The states in the order in which an entry usually goes through them. */
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

/** Selects the entries that a list, an export or a print shows. */
export interface EntryFilter {
  edition: number
  type?: EntryType | undefined
  state?: EntryState | undefined
  /** Only ages outside 18 to 26. */
  isOutsideAgeRange?: boolean | undefined
  /** Typed search text: beginnings of words of the name, the costume, the email, the telephone or the folio. */
  text?: string | undefined
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
  /** Number of kinds of document that were requested again and have not arrived. */
  missingDocumentCount: number
  receivedAt: Date
}

/** Numbers of entries by form and state. */
export type Counts = Record<EntryType, Record<EntryState, number>>

export const MAX_NOTE_CHARACTERS = 1000
export const MAX_TEXT_CHARACTERS = 120

/** A document as the panel lists it. */
export interface EntryDocument {
  id: number
  clase: DocumentKind
  lado: VoterCardSide | null
  fileName: string
  contentType: string
  bytes: number
  receivedAt: Date
  /** When a newer document replaced this one; null while it is current. */
  replacedAt: Date | null
}

/** One change of state in an entry's history. */
interface Change {
  id: number
  at: Date
  de: EntryState
  a: EntryState
  nota: string | null
  /** Whether the note is also for the entrant: the folio's page shows it while this is the latest change. */
  isForEntrant: boolean
  /** Email of the organiser; null when the entrant caused the change by sending a requested document. */
  author: string | null
}

/** An organiser's correction of the entrant's telephone or email. */
interface ContactCorrection {
  id: number
  at: Date
  campo: 'celular' | 'correo'
  antes: string | null
  ahora: string | null
  author: string | null
}

interface DocumentRequest {
  id: number
  clase: DocumentKind
  lado: VoterCardSide | null
  nota: string
  requestedAt: Date
}

/** A form value for display: its label, its text and, where the organisers should notice it, a flag. */
export interface ShownValue {
  label: string
  text: string
  flag: string | undefined
}

/** An entry as the panel shows it, for the organisers to decide on. */
export interface Entry extends Omit<Row, 'missingDocumentCount'> {
  edicion: number
  version: number
  correo: string | null
  celular: string
  /** The first complete telephone number, with plus sign and country code; null when the typed text holds none. */
  telefono: string | null
  /** The form's values as the panel shows them. */
  fields: ShownValue[]
  documents: EntryDocument[]
  /** Both sides of the voter card are the same file: accepted, but flagged in the panel. */
  isVoterCardRepeated: boolean
  history: Change[]
  corrections: ContactCorrection[]
  requests: DocumentRequest[]
}

/** An entry beside another one, in the order of a list. */
export interface Neighbour {
  id: number
  titular: string
}

/** The entries to which the screen of one entry leads. */
export interface Neighbours {
  /** The entries above and below in the list. */
  previous: Neighbour | undefined
  next: Neighbour | undefined
  /** The next undecided entry; the search wraps from the end of the list to its beginning. */
  nextWaiting: Neighbour | undefined
}

/** Evidence that two entries are duplicates: the same telephone, name or file. */
export type DuplicateReason = 'celular' | 'nombre' | 'archivo'

/** An entry that may duplicate another one. */
export interface LikelyDuplicate extends Neighbour {
  folio: string
  tipo: EntryType
  estado: EntryState
  por: DuplicateReason[]
}

/** States of undecided entries, which wait for the organisers and not for the entrant. */
export const WAITING_STATES: readonly EntryState[] = ['recibida', 'en-revision']

export type ChangeRefusal =
  /** Another person changed the entry meanwhile. */
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

/** An entry as the holder of its folio sees it: whose it is and how it goes, never its other values or its files. */
export interface FolioView {
  folio: string
  tipo: EntryType
  /** Name of the candidate, or of the costume's designer. */
  titular: string
  /** The costume's name; null for a candidate. */
  detalle: string | null
  estado: EntryState
  /** ISO 8601. */
  recibida: string
  /** Note of the latest change of state, if it was meant for the entrant. */
  nota: string | null
  documentos: SeenDocument[]
  /** Open document requests, each with a fresh submission id for its answer. */
  solicitudes: { id: number; clase: DocumentKind; lado: VoterCardSide | null; nota: string; entrega: string }[]
}

interface SeenDocument {
  clase: DocumentKind
  lado: VoterCardSide | null
  nombre: string
  /** ISO 8601. */
  recibido: string
  /** Whether a newer document replaced this one. */
  reemplazado: boolean
}

/** An entry with the facts that a notice to its entrant needs. */
export interface NotifiableEntry {
  id: number
  tipo: EntryType
  folio: string
  titular: string
  detalle: string | null
  estado: EntryState
  correo: string | null
  celular: string
  /** The first complete telephone number, with plus sign and country code; null when the typed text holds none. */
  telefono: string | null
  /** Id of the change that led to the current state; 0 before the first change. */
  changeId: number
  /** The organisers' note to the entrant with that change; empty when there is none. */
  note: string
  /** Open document requests, one per line: the document, and its fault. */
  requestedDocuments: string
}
