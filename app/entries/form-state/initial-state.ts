import { CLASES_DOCUMENTO, type ClaseDocumento } from '#app/entries/definitions/document-kinds.ts'
import type { ErrorCampo } from '#app/entries/rules.ts'

/** What a registration's form starts from, and what it knows; how that changes stands in reducer.ts. */

export interface Elegido {
  id: string
  file: File
  /** Where its upload goes on; absent before it began. */
  url: string | undefined
}

export type Documentos = Readonly<Record<ClaseDocumento, readonly Elegido[]>>

/** Of each kind, what `of` has for it. */
export const documentosOf = (of: (clase: ClaseDocumento) => readonly Elegido[]): Documentos =>
  Object.fromEntries(CLASES_DOCUMENTO.map((clase) => [clase, of(clase)])) as unknown as Documentos

interface MensajeRegistro {
  message: string
  /** The row it stands beside; absent: at the end of the form. */
  junto?: ClaseDocumento
  /** Files that only their names keep out. */
  renombrar?: File[]
}

/** What a form starts from: nothing, what the server sent back, or a draft. */
export interface Comienzo {
  entrega: string
  valores: Readonly<Record<string, string>>
  documentos: Documentos
  recibidos: Partial<Record<ClaseDocumento, string[]>>
  mensaje: MensajeRegistro | undefined
  errores: readonly ErrorCampo[]
  /** A draft that was being sent: it goes on by itself. */
  seguir: boolean
  /** A draft that this tab went on with unasked. */
  retomado: boolean
}

export interface EstadoRegistro {
  entrega: string
  documentos: Documentos
  mensaje: MensajeRegistro | undefined
  /** By field; they outlive the message, each until its field is touched. */
  errores: readonly ErrorCampo[]
  /** How often it was not taken: each time its outcome takes the focus. */
  rechazos: number
  /** It has been on its way at least once. */
  enviado: boolean
}

export const startFrom = ({ entrega, documentos, mensaje, errores, seguir }: Comienzo): EstadoRegistro => ({
  entrega,
  documentos,
  mensaje,
  errores,
  rechazos: 0,
  enviado: seguir,
})

/** Files that were chosen for a document. */
export interface Eleccion {
  clase: ClaseDocumento
  files: File[]
}

/** What happened in a form that nothing was at work on yet. */
export interface Antes {
  elecciones: Eleccion[]
  /** Fields that were typed in, by name. */
  campos: Set<string>
  /** It is to be sent. */
  enviar: boolean
}

export const nadaAntes = (): Antes => ({ elecciones: [], campos: new Set(), enviar: false })
