import type { DocumentKind, EntryType, VoterCardSide } from '#app/entries/definitions/document-kinds.ts'

/** This module describes an entry of either form for browser and server. */

export type EntryState = 'recibida' | 'en-revision' | 'aceptada' | 'rechazada' | 'falta-documento'

/** Lists the states in the order in which an entry usually goes through them; the panel's filters keep this order. */
export const ENTRY_STATES: readonly EntryState[] = [
  'recibida',
  'en-revision',
  'falta-documento',
  'aceptada',
  'rechazada',
]

export const ENTRY_STATE_NAMES: Readonly<Record<EntryState, string>> = {
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

/** An EntryFilter selects the entries that a list, an export or a printout shows; an absent condition excludes no entry. */
export interface EntryFilter {
  edition: number
  type?: EntryType | undefined
  state?: EntryState | undefined
  /** `true` selects only ages below 18 or above 26; entries without an age are then left out. */
  isOutsideAgeRange?: boolean | undefined
  /** The typed search text matches beginnings of words of the name, costume, email and folio, and telephone numbers. */
  text?: string | undefined
  /** The filter selects only entries with these ids. */
  ids?: number[] | undefined
}

/** A Row holds what the list shows of one entry. */
export interface EntryListRow {
  id: number
  tipo: EntryType
  folio: string
  titular: string
  /** The costume's name; null for a candidate. */
  detalle: string | null
  edad: number | null
  estado: EntryState
  /** Number of kinds of document, so that both sides of a voter card count once; 0 outside «falta documento». */
  missingDocumentCount: number
  receivedAt: Date
}

/** The numbers leave out entries that are being deleted. */
export type EntryCounts = Record<EntryType, Record<EntryState, number>>

export const MAX_NOTE_CHARACTERS = 1000
export const MAX_SEARCH_CHARACTERS = 120

/** An EntryDocument is one received file, with neither its path nor its content. */
export interface EntryDocument {
  id: number
  clase: DocumentKind
  lado: VoterCardSide | null
  fileName: string
  contentType: string
  bytes: number
  receivedAt: Date
  /** The moment when a newer document replaced this one; null while this document is current. */
  replacedAt: Date | null
}

/** A Change is one step from state to state in an entry's history; corrections and document requests are listed apart. */
interface StateChange {
  id: number
  at: Date
  de: EntryState
  a: EntryState
  nota: string | null
  /** The folio's page shows the note to the entrant, for as long as no later change follows this change. */
  isForEntrant: boolean
  /** The organiser's email, or the account's id where the account is gone; null when the entrant sent a requested document. */
  author: string | null
}

/** A ContactCorrection keeps both values of a telephone or email that an organiser corrected. */
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

/** A ShownValue is a form value in words; `flag` is undefined unless the organisers should notice the value. */
export interface ShownValue {
  label: string
  text: string
  flag: string | undefined
}

/** An Entry holds everything that the panel shows of one entry. */
export interface Entry extends Omit<EntryListRow, 'missingDocumentCount'> {
  edicion: number
  version: number
  correo: string | null
  celular: string
  /** First complete number of `celular`, with plus sign and country code; null if there is none. */
  telefono: string | null
  fields: ShownValue[]
  documents: EntryDocument[]
  /** Both current sides of the voter card have the same bytes; the form accepts them, and the panel flags the entry. */
  isVoterCardRepeated: boolean
  history: StateChange[]
  corrections: ContactCorrection[]
  requests: DocumentRequest[]
}

/** A Neighbour is an entry to which another entry's screen links. */
export interface Neighbour {
  id: number
  titular: string
}

/** Neighbours are the entries to which the screen of one entry leads, in the order of the filtered list. */
export interface Neighbours {
  /** `previous` stands above in the list and is newer; `next` stands below and is older. */
  previous: Neighbour | undefined
  next: Neighbour | undefined
  /** The next entry below that waits for the organisers (WAITING_STATES); after the last one, the search goes on from the top of the list. */
  nextWaiting: Neighbour | undefined
}

/** Two entries may be duplicates because they share a telephone, a name or a file. */
export type DuplicateReason = 'celular' | 'nombre' | 'archivo'

/** `reasons` holds every reason that was found, at least one. */
export interface LikelyDuplicate extends Neighbour {
  folio: string
  tipo: EntryType
  estado: EntryState
  reasons: DuplicateReason[]
}

/** Entries in these states wait for the organisers; «falta documento» waits for the entrant. */
export const WAITING_STATES: readonly EntryState[] = ['recibida', 'en-revision']

export type ChangeRefusal =
  /** `version` says that the entry was changed after the organiser had opened it. */
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

/** A FolioView is all that the holder of a folio gets: names and state, never other values or the files. It is sent as JSON. */
export interface FolioView {
  folio: string
  tipo: EntryType
  /** The candidate's or the costume designer's name. */
  titular: string
  /** The costume's name; null for a candidate. */
  detalle: string | null
  estado: EntryState
  /** The moment is in ISO 8601. */
  recibida: string
  /** The steps of the entry's way, each with its day («27 de septiembre») or «Sigue»; absent in answers of the previous version. */
  pasos?: { nombre: string; dia: string | undefined }[]
  /** The index of the current step. */
  paso?: number
  /** This says in a sentence what the state means for the entrant; absent in answers of the previous version. */
  explicacion?: string
  /** The appointment that lies ahead, in words, with the path of its calendar file. */
  cita?: { texto: string; calendario: string } | undefined
  /** Note of the latest state change if it was meant for the entrant, else null. */
  nota: string | null
  documentos: SeenDocument[]
  /** These document requests are open; `entrega` is a fresh submission id under which the entrant answers the request. */
  solicitudes: { id: number; clase: DocumentKind; lado: VoterCardSide | null; nota: string; entrega: string }[]
}

interface SeenDocument {
  clase: DocumentKind
  lado: VoterCardSide | null
  nombre: string
  /** The moment is in ISO 8601. */
  recibido: string
  /** A newer document has replaced this document. */
  reemplazado: boolean
}

/** A NotifiableEntry holds the facts that a notice to its entrant needs. */
export interface NotifiableEntry {
  id: number
  tipo: EntryType
  folio: string
  titular: string
  detalle: string | null
  estado: EntryState
  correo: string | null
  celular: string
  /** First complete number of `celular`, with plus sign and country code; null if there is none. */
  telefono: string | null
  /** The id of the change that led to the current state; 0 before the first change. */
  changeId: number
  /** The organisers' note to the entrant with that change; empty if there is none. */
  note: string
  /** Each line names one requested document and its fault. */
  requestedDocuments: string
}
