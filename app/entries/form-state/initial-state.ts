import { DOCUMENT_KINDS, type DocumentKind } from '#app/entries/definitions/document-kinds.ts'
import type { FieldError } from '#app/entries/rules.ts'

/** State of a registration's form, initial and current; reducer.ts has its transitions. */

export interface ChosenFile {
  id: string
  file: File
  /** URL of the file's upload; undefined before the upload began. */
  url: string | undefined
}

export type Documents = Readonly<Record<DocumentKind, readonly ChosenFile[]>>

/** Builds the chosen files of all kinds from a function of the kind. */
export const documentsOf = (of: (kind: DocumentKind) => readonly ChosenFile[]): Documents =>
  Object.fromEntries(DOCUMENT_KINDS.map((kind) => [kind, of(kind)])) as unknown as Documents

interface RegistrationMessage {
  message: string
  /** The document beside whose row the message stands; absent: the message is the form's banner. */
  junto?: DocumentKind
  /** Files refused only for their names. */
  renombrar?: File[]
}

/** Start of a form: blank, with the values that the server returned, or from a draft. */
export interface FormStart {
  entrega: string
  valores: Readonly<Record<string, string>>
  documentos: Documents
  recibidos: Partial<Record<DocumentKind, string[]>>
  mensaje: RegistrationMessage | undefined
  errores: readonly FieldError[]
  /** The draft was being sent, and sending resumes by itself. */
  seguir: boolean
  /** This tab resumed the draft without asking. */
  retomado: boolean
}

export interface RegistrationState {
  entrega: string
  documentos: Documents
  mensaje: RegistrationMessage | undefined
  /** Errors by field; each outlives the message, until its field is touched. */
  errores: readonly FieldError[]
  /** Number of refusals so far; each new one moves the focus to its message. */
  rechazos: number
  /** The form was sent at least once. */
  enviado: boolean
}

export const startFrom = ({ entrega, documentos, mensaje, errores, seguir }: FormStart): RegistrationState => ({
  entrega,
  documentos,
  mensaje,
  errores,
  rechazos: 0,
  enviado: seguir,
})

export interface FileChoice {
  clase: DocumentKind
  files: File[]
}

/** Interactions with a form before its controller was loaded. */
export interface Antes {
  elecciones: FileChoice[]
  /** Names of the fields that were typed in. */
  campos: Set<string>
  /** Whether the submit button was pressed. */
  enviar: boolean
}

export const nothingBefore = (): Antes => ({ elecciones: [], campos: new Set(), enviar: false })
