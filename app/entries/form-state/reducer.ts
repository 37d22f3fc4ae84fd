/** The transitions of a registration's form: pure functions that need neither React nor a page. */

import { DOCUMENT_KINDS, type DocumentKind, kindOf, VOTER_CARD_SIDES } from '#app/entries/definitions/document-kinds.ts'
import type { FormDescriptor } from '#app/entries/definitions/form.ts'
import { rowErrorOf } from '#app/entries/document-viewing/file-rules.ts'
import type { FieldError, FileCounts } from '#app/entries/rules.ts'
import type { RefusalReason, RegistrationResult } from '#app/entries/submission/schema.ts'
import {
  type ChosenDocuments,
  type ChosenFile,
  documentsOf,
  type FormStart,
  type RegistrationState,
} from './initial-state.ts'

/** A chosen file that does not fit its document, with the reason. */
export interface FileProblem {
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
  /** The content of a shown file turned out to be bad; `replaced` has the files that its choice replaced, which are shown again. */
  | { type: 'restore'; problem: FileProblem; replaced: readonly ChosenFile[] }
  /** In a form that refuses on sending, a file's content turned out to be bad; its whole choice `files` stays. */
  | { type: 'warn'; problem: FileProblem; files: readonly ChosenFile[] }
  | { type: 'remove'; kind: DocumentKind; id: string }
  | { type: 'swap'; kind: DocumentKind }
  /** The entrant has touched a field, whose error disappears. */
  | { type: 'correct'; field: string }
  | { type: 'showMessage'; message: string }
  | { type: 'startSending' }
  /** An upload got its URL, or has to begin anew; `url` is undefined then. */
  | { type: 'setUploadUrl'; id: string; url: string | undefined }
  /** The check in the browser failed before sending. */
  | { type: 'failCheck'; message: string; errors: readonly FieldError[] }
  /** Sending ended without the server's result; `fileId` names the file to blame, if any. */
  | { type: 'failSending'; fileId: string | undefined; reason: RefusalReason | undefined; message: string }
  /** The server refused the registration. */
  | { type: 'rejectSubmission'; result: RefusedResult }

/** Returns whether a chosen file is the second of a pair and replaces nothing: many phones offer one photograph at a time. */
export const completesPair = (
  kind: DocumentKind,
  previousFiles: readonly ChosenFile[],
  newFileCount: number,
): boolean => kindOf(kind).fileCount === 2 && previousFiles.length === 1 && newFileCount === 1

export const listReplaced = (
  kind: DocumentKind,
  previousFiles: readonly ChosenFile[],
  newFileCount: number,
): readonly ChosenFile[] => (completesPair(kind, previousFiles, newFileCount) ? [] : previousFiles)

/**
 * Returns the files to discard when a bad file is refused: its whole choice if replaced files come back, else that file only.
 * @param files the choice that holds the bad file
 */
export const listDiscarded = (
  { id }: FileProblem,
  files: readonly ChosenFile[],
  replaced: readonly ChosenFile[],
): readonly ChosenFile[] => (replaced.length > 0 ? files : files.filter((file) => file.id === id))

export function reduceRegistration(state: RegistrationState, action: FormAction): RegistrationState {
  switch (action.type) {
    case 'choose': {
      const { kind, files } = action
      const previousFiles = state.documents[kind]
      const newFiles = completesPair(kind, previousFiles, files.length) ? [...previousFiles, ...files] : files
      return {
        ...withChosenFiles(state, kind, newFiles),
        feedback: undefined,
        errors: errorsWithout(state.errors, kind),
      }
    }
    case 'refuse': {
      const { kind, message, filesToRename } = action
      return { ...state, feedback: { message, besideKind: kind, ...(filesToRename ? { filesToRename } : {}) } }
    }
    case 'restore': {
      const { problem, replaced } = action
      const files = state.documents[problem.campo]
      // If the bad file was replaced or removed meanwhile, the newer choice stays, without a message about the bad file.
      if (!isStillChosen(files, problem)) return state
      const remainingFiles = replaced.length > 0 ? replaced : files.filter(({ id }) => id !== problem.id)
      return {
        ...withChosenFiles(state, problem.campo, remainingFiles),
        feedback: { message: problem.message, besideKind: problem.campo },
      }
    }
    case 'warn': {
      const { problem, files } = action
      if (!isStillChosen(state.documents[problem.campo], problem)) return state
      const renameOffer = problem.reason === 'nombreArchivo' ? { filesToRename: files.map(({ file }) => file) } : {}
      return {
        ...state,
        feedback: { message: problem.message, besideKind: problem.campo, ...renameOffer },
        errors: [...errorsWithout(state.errors, problem.campo), rowErrorOf(problem)],
      }
    }
    case 'remove': {
      const { kind, id } = action
      const remainingFiles = state.documents[kind].filter((file) => file.id !== id)
      return {
        ...withChosenFiles(state, kind, remainingFiles),
        feedback: state.feedback?.besideKind === kind ? undefined : state.feedback,
        errors: errorsWithout(state.errors, kind),
      }
    }
    case 'swap':
      return withChosenFiles(state, action.kind, state.documents[action.kind].toReversed())
    case 'correct':
      return { ...state, errors: errorsWithout(state.errors, action.field) }
    case 'showMessage':
      return { ...state, feedback: { message: action.message } }
    case 'startSending':
      return { ...state, wasSent: true, feedback: undefined, errors: [] }
    case 'setUploadUrl': {
      const { id, url } = action
      return { ...state, documents: mapFiles(state.documents, (file) => (file.id === id ? { ...file, url } : file)) }
    }
    case 'failCheck':
      return withRefusal(state, action.message, action.errors)
    case 'failSending': {
      const { fileId, reason, message } = action
      const kind = findKindOfFile(state.documents, fileId)
      return withRefusal(state, message, kind ? [rowErrorOf({ campo: kind, reason, message })] : [])
    }
    case 'rejectSubmission': {
      const { entrega, message, campos } = action.result
      // Under a new submission id every file is sent again; under the same id, only the files of documents with an error.
      const isLost = (kind: string) => entrega !== state.submissionId || campos.some(({ campo }) => campo === kind)
      const documents = documentsOf((kind) =>
        isLost(kind) ? state.documents[kind].map((file) => ({ ...file, url: undefined })) : state.documents[kind],
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

const withChosenFiles = (
  state: RegistrationState,
  kind: DocumentKind,
  files: readonly ChosenFile[],
): RegistrationState => ({
  ...state,
  documents: { ...state.documents, [kind]: files },
})

const mapFiles = (documents: ChosenDocuments, change: (file: ChosenFile) => ChosenFile) =>
  documentsOf((kind) => documents[kind].map(change))

const errorsWithout = (errors: readonly FieldError[], field: string) => errors.filter(({ campo }) => campo !== field)

const isStillChosen = (files: readonly ChosenFile[], { id }: FileProblem) => files.some((file) => file.id === id)

const findKindOfFile = (documents: ChosenDocuments, fileId: string | undefined) =>
  DOCUMENT_KINDS.find((kind) => documents[kind].some(({ id }) => id === fileId))

/** Counts a form's files of each kind: the chosen files, or those that the server has from an earlier post if none are chosen. */
export const countFiles = (
  descriptor: FormDescriptor,
  documents: ChosenDocuments,
  received: FormStart['received'],
): FileCounts =>
  Object.fromEntries(descriptor.kinds.map((kind) => [kind, documents[kind].length || (received[kind]?.length ?? 0)]))

/** Lists the chosen files in the order of sending; the first file of a voter card is its front. */
export const filesToSend = (descriptor: FormDescriptor, documents: ChosenDocuments) =>
  descriptor.kinds.flatMap((kind) =>
    documents[kind].map((chosenFile, side) => ({
      ...chosenFile,
      kind,
      side: kindOf(kind).fileCount === 2 ? VOTER_CARD_SIDES[side] : undefined,
    })),
  )

/** Sums up the bytes of files; `share` is the ratio of sent to total bytes, 1 without files. @param sentBytesById by file id */
export function progressOf(chosenFiles: readonly ChosenFile[], sentBytesById: Readonly<Record<string, number>>) {
  let sentBytes = 0
  let totalBytes = 0
  for (const { id, file } of chosenFiles) {
    sentBytes += Math.min(sentBytesById[id] ?? 0, file.size)
    totalBytes += file.size
  }
  return { sentBytes, totalBytes, share: totalBytes === 0 ? 1 : sentBytes / totalBytes }
}
