import { DOCUMENT_KINDS, type DocumentKind, kindOf, SIDES } from '#app/entries/definitions/document-kinds.ts'
import type { FormDescriptor } from '#app/entries/definitions/form.ts'
import { fileError } from '#app/entries/document-viewing/file-rules.ts'
import type { FieldError, FileCounts } from '#app/entries/rules.ts'
import type { RefusalReason, RegistrationResult } from '#app/entries/submission/schema.ts'
import {
  type ChosenFile,
  type Documents,
  documentsOf,
  type FormStart,
  type RegistrationState,
} from './initial-state.ts'

/** These state transitions of a registration's form are pure and need neither React nor a page. */

/** A Problem says why a chosen file does not fit its document. */
export interface Problem {
  id: string
  campo: DocumentKind
  reason: RefusalReason
  message: string
}

type RefusedResult = Extract<RegistrationResult, { ok: false }>

export type FormAction =
  | { type: 'choose'; kind: DocumentKind; files: readonly ChosenFile[] }
  /** Chosen files are refused before their content is checked; the previous choice stays. */
  | { type: 'refuse'; kind: DocumentKind; message: string; filesToRename?: File[] }
  /** The content of a shown file turned out to be bad; `replaced`: the files that its choice replaced, which come back. */
  | { type: 'restore'; problem: Problem; replaced: readonly ChosenFile[] }
  /** In a form that refuses on sending, a file's content turned out to be bad; its whole choice `files` stays. */
  | { type: 'warn'; problem: Problem; files: readonly ChosenFile[] }
  | { type: 'remove'; kind: DocumentKind; id: string }
  | { type: 'swap'; kind: DocumentKind }
  | { type: 'correct'; field: string }
  | { type: 'showMessage'; message: string }
  | { type: 'startSending' }
  /** An upload got its URL, or has to begin anew (undefined). */
  | { type: 'setUploadUrl'; id: string; url: string | undefined }
  /** The check in the browser failed before sending. */
  | { type: 'failCheck'; message: string; errors: readonly FieldError[] }
  /** Sending failed before the server checked the registration; `fileId` names the file to blame, if any. */
  | { type: 'failSending'; fileId: string | undefined; reason: RefusalReason | undefined; message: string }
  /** The server checked the registration and refused it. */
  | { type: 'deny'; result: RefusedResult }

/** Returns whether a choice joins the previous one: a phone offers one photograph at a time, and the second completes the pair. */
export const completesPair = (kind: DocumentKind, before: readonly ChosenFile[], count: number): boolean =>
  kindOf(kind).fileCount === 2 && before.length === 1 && count === 1

/** Returns the files that a new choice of `count` files replaces. */
export const listReplaced = (
  kind: DocumentKind,
  before: readonly ChosenFile[],
  count: number,
): readonly ChosenFile[] => (completesPair(kind, before, count) ? [] : before)

/**
 * Returns the files to discard when a bad file is taken back: its whole choice if replaced files come back, else that file only.
 * @param files the choice that holds the bad file
 */
export const listDiscarded = (
  { id }: Problem,
  files: readonly ChosenFile[],
  replaced: readonly ChosenFile[],
): readonly ChosenFile[] => (replaced.length > 0 ? files : files.filter((one) => one.id === id))

export function reduce(state: RegistrationState, action: FormAction): RegistrationState {
  switch (action.type) {
    case 'choose': {
      const { kind: documentKind, files } = action
      const before = state.documents[documentKind]
      const now = completesPair(documentKind, before, files.length) ? [...before, ...files] : files
      return {
        ...withDocument(state, documentKind, now),
        feedback: undefined,
        errors: errorsWithout(state.errors, documentKind),
      }
    }
    case 'refuse': {
      const { kind: documentKind, message, filesToRename } = action
      return { ...state, feedback: { message, besideKind: documentKind, ...(filesToRename ? { filesToRename } : {}) } }
    }
    case 'restore': {
      const { problem, replaced } = action
      const now = state.documents[problem.campo]
      const after = replaced.length > 0 ? replaced : now.filter(({ id }) => id !== problem.id)
      return {
        // A file replaced or removed meanwhile is not taken back.
        ...(isStillChosen(now, problem) ? withDocument(state, problem.campo, after) : state),
        feedback: { message: problem.message, besideKind: problem.campo },
      }
    }
    case 'warn': {
      const { problem, files } = action
      if (!isStillChosen(state.documents[problem.campo], problem)) return state
      const toRename = problem.reason === 'nombreArchivo' ? { filesToRename: files.map(({ file }) => file) } : {}
      return {
        ...state,
        feedback: { message: problem.message, besideKind: problem.campo, ...toRename },
        errors: [...errorsWithout(state.errors, problem.campo), fileError(problem)],
      }
    }
    case 'remove': {
      const { kind: documentKind, id } = action
      const now = state.documents[documentKind].filter((one) => one.id !== id)
      return {
        ...withDocument(state, documentKind, now),
        feedback: state.feedback?.besideKind === documentKind ? undefined : state.feedback,
        errors: errorsWithout(state.errors, documentKind),
      }
    }
    case 'swap':
      return withDocument(state, action.kind, state.documents[action.kind].toReversed())
    case 'correct':
      return { ...state, errors: errorsWithout(state.errors, action.field) }
    case 'showMessage':
      return { ...state, feedback: { message: action.message } }
    case 'startSending':
      return { ...state, wasSent: true, feedback: undefined, errors: [] }
    case 'setUploadUrl': {
      const { id, url } = action
      return { ...state, documents: mapFiles(state.documents, (one) => (one.id === id ? { ...one, url } : one)) }
    }
    case 'failCheck':
      return withRefusal(state, action.message, action.errors)
    case 'failSending': {
      const { fileId, reason, message } = action
      const field = findKindOfFile(state.documents, fileId)
      return withRefusal(state, message, field ? [fileError({ campo: field, reason, message })] : [])
    }
    case 'deny': {
      const { entrega, message, campos } = action.result
      // Under a new submission every file is sent again; under the same one, only the files that the server refused or lost.
      const isLost = (kind: string) => entrega !== state.submissionId || campos.some(({ campo }) => campo === kind)
      const documents = documentsOf((kind) =>
        isLost(kind) ? state.documents[kind].map((one) => ({ ...one, url: undefined })) : state.documents[kind],
      )
      return withRefusal({ ...state, submissionId: entrega, documents }, message, campos)
    }
  }
}

const withRefusal = (state: RegistrationState, message: string, errors: readonly FieldError[]): RegistrationState => ({
  ...state,
  feedback: { message },
  errors,
  refusalCount: state.refusalCount + 1,
})

const withDocument = (state: RegistrationState, kind: DocumentKind, now: readonly ChosenFile[]): RegistrationState => ({
  ...state,
  documents: { ...state.documents, [kind]: now },
})

const mapFiles = (documents: Documents, change: (one: ChosenFile) => ChosenFile) =>
  documentsOf((kind) => documents[kind].map(change))

const errorsWithout = (errors: readonly FieldError[], field: string) => errors.filter((one) => one.campo !== field)

const isStillChosen = (files: readonly ChosenFile[], { id }: Problem) => files.some((one) => one.id === id)

const findKindOfFile = (documents: Documents, file: string | undefined) =>
  DOCUMENT_KINDS.find((kind) => documents[kind].some(({ id }) => id === file))

/** Counts the files of each kind of a form: the chosen ones or, without any, those that the server has from an earlier post. */
export const countFiles = (
  descriptor: FormDescriptor,
  documents: Documents,
  received: FormStart['received'],
): FileCounts =>
  Object.fromEntries(descriptor.kinds.map((kind) => [kind, documents[kind].length || (received[kind]?.length ?? 0)]))

/** Lists the chosen files in the order of sending; of a pair, the first is the front. */
export const filesOf = (descriptor: FormDescriptor, documents: Documents) =>
  descriptor.kinds.flatMap((kind) =>
    documents[kind].map((chosenFile, side) => ({
      ...chosenFile,
      kind,
      side: kindOf(kind).fileCount === 2 ? SIDES[side] : undefined,
    })),
  )

/** Sums up sent and total bytes; `part` is their ratio, 1 without files. @param sentBytesById by the id of the file, so far */
export function progressOf(chosenFiles: readonly ChosenFile[], sentBytesById: Readonly<Record<string, number>>) {
  let sent = 0
  let total = 0
  for (const { id, file } of chosenFiles) {
    sent += Math.min(sentBytesById[id] ?? 0, file.size)
    total += file.size
  }
  return { sent, total, part: total === 0 ? 1 : sent / total }
}
