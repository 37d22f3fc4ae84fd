import { DOCUMENT_KINDS, type DocumentKind } from '#app/entries/definitions/document-kinds.ts'
import type { FieldError } from '#app/entries/rules.ts'

/** What a registration's form starts from, and what it knows; how that changes stands in reducer.ts. */

export interface ChosenFile {
  id: string
  file: File
  /** Where its upload goes on; absent before it began. */
  url: string | undefined
}

export type Documents = Readonly<Record<DocumentKind, readonly ChosenFile[]>>

/** Of each kind, what `of` has for it. */
export const documentsOf = (of: (kind: DocumentKind) => readonly ChosenFile[]): Documents =>
  Object.fromEntries(DOCUMENT_KINDS.map((kind) => [kind, of(kind)])) as unknown as Documents

interface RegistrationMessage {
  message: string
  /** The row it stands beside; absent: at the end of the form. */
  junto?: DocumentKind
  /** Files that only their names keep out. */
  renombrar?: File[]
}

/** What a form starts from: nothing, what the server sent back, or a draft. */
export interface FormStart {
  entrega: string
  valores: Readonly<Record<string, string>>
  documentos: Documents
  recibidos: Partial<Record<DocumentKind, string[]>>
  mensaje: RegistrationMessage | undefined
  errores: readonly FieldError[]
  /** A draft that was being sent: it goes on by itself. */
  seguir: boolean
  /** A draft that this tab went on with unasked. */
  retomado: boolean
}

export interface RegistrationState {
  entrega: string
  documentos: Documents
  mensaje: RegistrationMessage | undefined
  /** By field; they outlive the message, each until its field is touched. */
  errores: readonly FieldError[]
  /** How often it was not taken: each time its outcome takes the focus. */
  rechazos: number
  /** It has been on its way at least once. */
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

/** Files that were chosen for a document. */
export interface FileChoice {
  clase: DocumentKind
  files: File[]
}

/** What happened in a form that nothing was at work on yet. */
export interface Antes {
  elecciones: FileChoice[]
  /** Fields that were typed in, by name. */
  campos: Set<string>
  /** It is to be sent. */
  enviar: boolean
}

export const nothingBefore = (): Antes => ({ elecciones: [], campos: new Set(), enviar: false })
