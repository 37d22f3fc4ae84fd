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

/** How each thing that happens changes what a registration on the screen knows: pure, without React or a page. */

/** A chosen file that cannot be what it was chosen for. */
export interface Problem {
  id: string
  campo: DocumentKind
  reason: RefusalReason
  message: string
}

type RefusedResult = Extract<RegistrationResult, { ok: false }>

export type FormAction =
  /** Files were chosen for a document. */
  | { que: 'elige'; clase: DocumentKind; files: readonly ChosenFile[] }
  /** They are refused before they are looked into, and what was there before stays. */
  | { que: 'rehusa'; clase: DocumentKind; message: string; renombrar?: File[] }
  /** Looked into, a file that stands already turned out to be none; `replaced` is what it took the place of. */
  | { que: 'devuelve'; reparo: Problem; replaced: readonly ChosenFile[] }
  /** The same where the choice stands until it is sent (`files`: what was chosen with it). */
  | { que: 'advierte'; reparo: Problem; files: readonly ChosenFile[] }
  | { que: 'quita'; clase: DocumentKind; id: string }
  | { que: 'intercambia'; clase: DocumentKind }
  | { que: 'corrige'; campo: string }
  | { que: 'dice'; message: string }
  | { que: 'sale' }
  /** An upload begins at this address, or has to begin anew. */
  | { que: 'sube'; id: string; url: string | undefined }
  /** It cannot be sent as it is. */
  | { que: 'reprueba'; message: string; campos: readonly FieldError[] }
  /** Sending ended before the registration was looked at; `archivo`: whose fault it is, where it is a file's. */
  | { que: 'fracasa'; archivo: string | undefined; reason: RefusalReason | undefined; message: string }
  /** The server looked at it, and did not take it. */
  | { que: 'niega'; resultado: RefusedResult }

/** Whether a choice joins the one before: a phone offers one photograph at a time, and the second completes the pair. */
export const completesPair = (kind: DocumentKind, before: readonly ChosenFile[], count: number): boolean =>
  kindOf(kind).archivos === 2 && before.length === 1 && count === 1

/** What a choice takes the place of. */
export const replacedBy = (kind: DocumentKind, before: readonly ChosenFile[], count: number): readonly ChosenFile[] =>
  completesPair(kind, before, count) ? [] : before

/**
 * What is given up for a file that is taken back: its whole choice where another one comes back, else itself alone.
 * @param files the choice that it stands in
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
        // Chosen anew or taken out meanwhile: there is nothing to take back.
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
      // Under another entrega everything is sent again; under the same one, what the server refused or lost.
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

/** How many files each document of a form has: chosen here, or else received before this page. */
export const countFiles = (forma: Forma, documents: Documents, received: FormStart['recibidos']): FileCounts =>
  Object.fromEntries(forma.clases.map((kind) => [kind, documents[kind].length || (received[kind]?.length ?? 0)]))

/** The chosen files as they are sent: of a pair, the first is the front. */
export const filesOf = (forma: Forma, documents: Documents) =>
  forma.clases.flatMap((kind) =>
    documents[kind].map((chosenFile, side) => ({
      ...chosenFile,
      clase: kind,
      lado: kindOf(kind).archivos === 2 ? SIDES[side] : undefined,
    })),
  )

/** Bytes that have left, and bytes in all. @param bytes that have left, by the id of their file */
export function progressOf(chosenFiles: readonly ChosenFile[], bytes: Readonly<Record<string, number>>) {
  let sent = 0
  let total = 0
  for (const { id, file } of chosenFiles) {
    sent += Math.min(bytes[id] ?? 0, file.size)
    total += file.size
  }
  return { sent, total, part: total === 0 ? 1 : sent / total }
}
