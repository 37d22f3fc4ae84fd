/** Shapes of an entry of either form, for browser and server. */

import type { DocumentKind, EntryType, VoterCardSide } from '#app/entries/definitions/document-kinds.ts'

export type EntryState = 'recibida' | 'en-revision' | 'aceptada' | 'rechazada' | 'falta-documento'

/** States in the order in which the panel lists them. */
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

/** Conditions on entries; an absent condition excludes no entry. */
export interface EntryFilter {
  edition: number
  type?: EntryType | undefined
  state?: EntryState | undefined
  /** `true` selects only ages below SUGGESTED_MIN_AGE or above SUGGESTED_MAX_AGE; entries without an age are then left out. */
  isOutsideAgeRange?: boolean | undefined
  /** Search text; matches beginnings of words of name, costume, email and folio, and telephone numbers. */
  text?: string | undefined
  /** Ids of the only entries to show. */
  ids?: number[] | undefined
}

export interface EntryListRow {
  id: number
  tipo: EntryType
  folio: string
  titular: string
  /** The costume's name; null for a candidate. */
  detalle: string | null
  /** The candidate's age; null for a costume. */
  edad: number | null
  estado: EntryState
  /**
   * Number of document kinds that are requested and missing; both sides of a voter card count once. 0 outside «falta documento».
   */
  missingDocumentCount: number
  receivedAt: Date
}

/** Numbers of entries by type and state; entries that are being deleted do not count. */
export type EntryCounts = Record<EntryType, Record<EntryState, number>>

/** Limit of the columns `cambios.nota` and `solicitudes.nota`. */
export const MAX_NOTE_CHARACTERS = 1000
export const MAX_SEARCH_CHARACTERS = 120

/** One received file, with neither its path nor its content. */
export interface EntryDocument {
  id: number
  clase: DocumentKind
  lado: VoterCardSide | null
  fileName: string
  contentType: string
  byteCount: number
  receivedAt: Date
  /** Moment at which a newer document replaced this one; null while this one is current. */
  replacedAt: Date | null
}

/** A step in an entry's history. A document request adds a step, too, even if the state stays; corrections are listed apart. */
interface StateChange {
  id: number
  at: Date
  de: EntryState
  a: EntryState
  nota: string | null
  /** Whether the folio's page shows the note to the entrant until the next change. */
  isForEntrant: boolean
  /** The organiser's email, or the account's id if the account is gone; null if the entrant sent a requested document. */
  author: string | null
}

/** Both values of a telephone number or email address that an organiser corrected; null for no value. */
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

/** A form value as people read it. */
export interface ShownValue {
  label: string
  text: string
  /** Remark on an unusual value, for the organisers. */
  flag: string | undefined
}

/** An entry for the panel, with its values, documents, history and open document requests. */
export interface Entry extends Omit<EntryListRow, 'missingDocumentCount'> {
  edicion: number
  version: number
  correo: string | null
  celular: string
  /** First complete number of `celular`, with plus sign and country code; null if there is none. */
  telefono: string | null
  fields: ShownValue[]
  documents: EntryDocument[]
  /** Whether both current sides of the voter card have the same bytes; the form accepts them, and the panel flags the entry. */
  hasIdenticalVoterCardSides: boolean
  history: StateChange[]
  corrections: ContactCorrection[]
  requests: DocumentRequest[]
}

/** An entry to which another entry's screen links. */
export interface Neighbour {
  id: number
  titular: string
}

/** Entries to which the screen of one entry links, by their order in the filtered list. */
export interface Neighbours {
  /** The entry above in the list, which is newer. */
  previous: Neighbour | undefined
  /** The entry below in the list, which is older. */
  next: Neighbour | undefined
  /** The next entry below that waits (in the filter's state, if that is a waiting one), or else the first waiting entry of the list. */
  nextWaiting: Neighbour | undefined
}

/** Reason why two entries may be duplicates: they share a telephone number, a name or a file. */
export type DuplicateReason = 'celular' | 'nombre' | 'archivo'

export interface LikelyDuplicate extends Neighbour {
  folio: string
  tipo: EntryType
  estado: EntryState
  /** Reasons, of which there is at least one. */
  reasons: DuplicateReason[]
}

/** Entries in these states wait for the organisers; «falta documento» waits for the entrant. */
export const WAITING_STATES: readonly EntryState[] = ['recibida', 'en-revision']

export type ChangeRefusal =
  /** `version`: the entry was changed after the organiser had opened it. */
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

/**
 * All that the holder of a folio gets. Of the form's values it has only the names, and it has no file's content. Its keys are sent
 * as JSON and stay Spanish.
 */
export interface FolioView {
  folio: string
  tipo: EntryType
  /** The candidate's or the costume designer's name. */
  titular: string
  /** The costume's name; null for a candidate. */
  detalle: string | null
  estado: EntryState
  /** ISO 8601. */
  recibida: string
  /**
   * Steps from arrival to the contest, or to a rejection. `dia` is a step's day («27 de septiembre») if it is known; for the next
   * step it begins with «Sigue». Answers of the previous version lack the steps.
   */
  pasos?: { nombre: string; dia: string | undefined }[]
  /** Index of the current step. */
  paso?: number
  /** Meaning of the state for the entrant; absent in answers of the previous version. */
  explicacion?: string
  /** The coming appointment in words, with the path of its calendar file. */
  cita?: { texto: string; calendario: string } | undefined
  /** Note of the latest state change if it was meant for the entrant, else null. */
  nota: string | null
  documentos: SeenDocument[]
  /** Open document requests; `entrega` is a fresh submission id under which the entrant answers the request. */
  solicitudes: { id: number; clase: DocumentKind; lado: VoterCardSide | null; nota: string; entrega: string }[]
}

interface SeenDocument {
  clase: DocumentKind
  lado: VoterCardSide | null
  nombre: string
  /** ISO 8601. */
  recibido: string
  /** Whether a newer document has replaced it. */
  reemplazado: boolean
}

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
  /** Id of the latest state change; 0 before the first. */
  changeId: number
  /** The organisers' note to the entrant with that change, on one line; empty if there is none. */
  note: string
  /** One line for each open document request: the document and the organisers' note. */
  documentRequestsText: string
}
