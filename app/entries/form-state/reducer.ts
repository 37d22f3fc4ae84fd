import { DOCUMENT_KINDS, type DocumentKind, kindOf, SIDES } from '#app/entries/definitions/document-kinds.ts'
import type { Forma } from '#app/entries/definitions/form.ts'
import { fileError } from '#app/entries/documents/file-rules.ts'
import type { FieldError, FileCounts } from '#app/entries/rules.ts'
import type { RefusalReason, RegistrationResult } from '#app/entries/submission/schema.ts'
import {
  type ChosenFile,
  type Documents,
  documentsOf,
  type FormStart,
  type RegistrationState,
} from './initial-state.ts'

/** State transitions of a registration's form: pure, without React or a page. */

/** A chosen file that does not fit its document, and why. */
export interface Problem {
  id: string
  campo: DocumentKind
  reason: RefusalReason
  message: string
}

type RefusedResult = Extract<RegistrationResult, { ok: false }>

export type FormAction =
  | { que: 'elige'; clase: DocumentKind; files: readonly ChosenFile[] }
  /** Chosen files are refused before their content is checked; the previous choice stays. */
  | { que: 'rehusa'; clase: DocumentKind; message: string; renombrar?: File[] }
  /** The content of a file that is shown already turned out to be bad; `replaced`: the files that its choice replaced. */
  | { que: 'devuelve'; reparo: Problem; replaced: readonly ChosenFile[] }
  /** In a form that refuses on sending, the content of a file turned out to be bad; `files`: its whole choice, which stays. */
  | { que: 'advierte'; reparo: Problem; files: readonly ChosenFile[] }
  | { que: 'quita'; clase: DocumentKind; id: string }
  | { que: 'intercambia'; clase: DocumentKind }
  | { que: 'corrige'; campo: string }
  | { que: 'dice'; message: string }
  | { que: 'sale' }
  /** An upload got its URL, or has to begin anew (undefined). */
  | { que: 'sube'; id: string; url: string | undefined }
  /** The form's own check failed before sending. */
  | { que: 'reprueba'; message: string; campos: readonly FieldError[] }
  /** Sending failed before the server checked the registration; with the id of a file, if one is to blame. */
  | { que: 'fracasa'; archivo: string | undefined; reason: RefusalReason | undefined; message: string }
  /** The server checked the registration and refused it. */
  | { que: 'niega'; resultado: RefusedResult }

/** Whether a choice joins the previous one: a phone offers one photograph at a time, and the second completes the pair. */
export const completesPair = (kind: DocumentKind, before: readonly ChosenFile[], count: number): boolean =>
  kindOf(kind).archivos === 2 && before.length === 1 && count === 1

/** The files that a new choice replaces. */
export const replacedBy = (kind: DocumentKind, before: readonly ChosenFile[], count: number): readonly ChosenFile[] =>
  completesPair(kind, before, count) ? [] : before

/**
 * The files to discard when a bad file is taken back: its whole choice if replaced files come back, else the bad file alone.
 * @param files the choice that holds the bad file
 */
export const givenUp = (
  { id }: Problem,
  files: readonly ChosenFile[],
  replaced: readonly ChosenFile[],
): readonly ChosenFile[] => (replaced.length > 0 ? files : files.filter((one) => one.id === id))

export function reduce(state: RegistrationState, action: FormAction): RegistrationState {
  switch (action.que) {
    case 'elige': {
      const { clase, files } = action
      const before = state.documentos[clase]
      const now = completesPair(clase, before, files.length) ? [...before, ...files] : files
      return { ...withDocument(state, clase, now), mensaje: undefined, errores: without(state.errores, clase) }
    }
    case 'rehusa': {
      const { clase, message, renombrar } = action
      return { ...state, mensaje: { message, junto: clase, ...(renombrar ? { renombrar } : {}) } }
    }
    case 'devuelve': {
      const { reparo, replaced } = action
      const now = state.documentos[reparo.campo]
      const after = replaced.length > 0 ? replaced : now.filter(({ id }) => id !== reparo.id)
      return {
        // A file replaced or removed meanwhile is not taken back.
        ...(isThere(now, reparo) ? withDocument(state, reparo.campo, after) : state),
        mensaje: { message: reparo.message, junto: reparo.campo },
      }
    }
    case 'advierte': {
      const { reparo, files } = action
      if (!isThere(state.documentos[reparo.campo], reparo)) return state
      const toRename = reparo.reason === 'nombreArchivo' ? { renombrar: files.map(({ file }) => file) } : {}
      return {
        ...state,
        mensaje: { message: reparo.message, junto: reparo.campo, ...toRename },
        errores: [...without(state.errores, reparo.campo), fileError(reparo)],
      }
    }
    case 'quita': {
      const { clase, id } = action
      const now = state.documentos[clase].filter((one) => one.id !== id)
      return {
        ...withDocument(state, clase, now),
        mensaje: state.mensaje?.junto === clase ? undefined : state.mensaje,
        errores: without(state.errores, clase),
      }
    }
    case 'intercambia':
      return withDocument(state, action.clase, state.documentos[action.clase].toReversed())
    case 'corrige':
      return { ...state, errores: without(state.errores, action.campo) }
    case 'dice':
      return { ...state, mensaje: { message: action.message } }
    case 'sale':
      return { ...state, enviado: true, mensaje: undefined, errores: [] }
    case 'sube': {
      const { id, url } = action
      return { ...state, documentos: mapped(state.documentos, (one) => (one.id === id ? { ...one, url } : one)) }
    }
    case 'reprueba':
      return refused(state, action.message, action.campos)
    case 'fracasa': {
      const { archivo, reason, message } = action
      const field = kindWith(state.documentos, archivo)
      return refused(state, message, field ? [fileError({ campo: field, reason, message })] : [])
    }
    case 'niega': {
      const { entrega, message, campos } = action.resultado
      // Under a new submission every file is sent again; under the same one, only the files that the server refused or lost.
      const isLost = (kind: string) => entrega !== state.entrega || campos.some(({ campo }) => campo === kind)
      const documents = documentsOf((kind) =>
        isLost(kind) ? state.documentos[kind].map((one) => ({ ...one, url: undefined })) : state.documentos[kind],
      )
      return refused({ ...state, entrega, documentos: documents }, message, campos)
    }
  }
}

const refused = (state: RegistrationState, message: string, errors: readonly FieldError[]): RegistrationState => ({
  ...state,
  mensaje: { message },
  errores: errors,
  rechazos: state.rechazos + 1,
})

const withDocument = (state: RegistrationState, kind: DocumentKind, now: readonly ChosenFile[]): RegistrationState => ({
  ...state,
  documentos: { ...state.documentos, [kind]: now },
})

const mapped = (documents: Documents, change: (one: ChosenFile) => ChosenFile) =>
  documentsOf((kind) => documents[kind].map(change))

const without = (errors: readonly FieldError[], field: string) => errors.filter((one) => one.campo !== field)

const isThere = (files: readonly ChosenFile[], { id }: Problem) => files.some((one) => one.id === id)

const kindWith = (documents: Documents, file: string | undefined) =>
  DOCUMENT_KINDS.find((kind) => documents[kind].some(({ id }) => id === file))

/** Number of files of each document of a form: chosen here, or else received before this page. */
export const countFiles = (forma: Forma, documents: Documents, received: FormStart['recibidos']): FileCounts =>
  Object.fromEntries(forma.clases.map((kind) => [kind, documents[kind].length || (received[kind]?.length ?? 0)]))

/** The chosen files in the order of sending; of a pair, the first is the front. */
export const filesOf = (forma: Forma, documents: Documents) =>
  forma.clases.flatMap((kind) =>
    documents[kind].map((chosenFile, side) => ({
      ...chosenFile,
      clase: kind,
      lado: kindOf(kind).archivos === 2 ? SIDES[side] : undefined,
    })),
  )

/** Sent bytes, total bytes and their ratio (0 to 1). @param bytes sent so far, by the id of their file */
export function progressOf(chosenFiles: readonly ChosenFile[], bytes: Readonly<Record<string, number>>) {
  let sent = 0
  let total = 0
  for (const { id, file } of chosenFiles) {
    sent += Math.min(bytes[id] ?? 0, file.size)
    total += file.size
  }
  return { sent, total, part: total === 0 ? 1 : sent / total }
}
