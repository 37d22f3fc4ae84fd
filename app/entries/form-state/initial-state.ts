/** The state of a registration's form; reducer.ts has its transitions. */

import { DOCUMENT_KINDS, type DocumentKind } from '#app/entries/definitions/document-kinds.ts'
import type { FieldError } from '#app/entries/rules.ts'

export interface ChosenFile {
  id: string
  file: File
  /** URL of the file's upload; undefined before the upload has begun, or if it has to begin anew. */
  url: string | undefined
}

export type ChosenDocuments = Readonly<Record<DocumentKind, readonly ChosenFile[]>>

/** Calls a function for each kind of document and collects the results. */
export const documentsOf = (filesOfKind: (kind: DocumentKind) => readonly ChosenFile[]): ChosenDocuments =>
  Object.fromEntries(DOCUMENT_KINDS.map((kind) => [kind, filesOfKind(kind)])) as unknown as ChosenDocuments

interface RegistrationMessage {
  message: string
  /** Document whose row shows the message; absent for the form's banner. */
  besideKind?: DocumentKind
  /** Files of a choice in which a name was refused; the message then has the rename button. */
  filesToRename?: File[]
}

/** Start of a form: blank, with the values that the server returned, or from a draft. */
export interface FormStart {
  submissionId: string
  values: Readonly<Record<string, string>>
  documents: ChosenDocuments
  /** Names of the files that the server has from an earlier post. */
  received: Partial<Record<DocumentKind, string[]>>
  feedback: RegistrationMessage | undefined
  errors: readonly FieldError[]
  /** Whether the draft was being sent and has all its files, so that sending resumes by itself. */
  mayResumeSending: boolean
  /** Whether the draft was sent before. */
  wasSent: boolean
  /** Whether this tab resumed the draft without asking. */
  isResumed: boolean
}

export interface RegistrationState {
  submissionId: string
  documents: ChosenDocuments
  feedback: RegistrationMessage | undefined
  /** Errors stay after the banner's message is gone, until their fields are touched or the form is sent. */
  errors: readonly FieldError[]
  /** Number of refusals on sending, by browser or server; when it rises, the form moves the focus to the message. */
  refusalCount: number
  /** Whether the form was sent at least once. */
  wasSent: boolean
}

export const initialStateFrom = ({
  submissionId,
  documents,
  feedback,
  errors,
  wasSent,
}: FormStart): RegistrationState => ({
  submissionId,
  documents,
  feedback,
  errors,
  refusalCount: 0,
  wasSent,
})

export interface FileChoice {
  kind: DocumentKind
  files: File[]
}

/** Interactions with a form before its controller was loaded. */
export interface EarlyInput {
  choices: FileChoice[]
  /** Names of the fields in which the entrant typed. */
  fieldNames: Set<string>
  /** Whether the submit button was pressed. */
  isSubmitted: boolean
}

export const emptyEarlyInput = (): EarlyInput => ({ choices: [], fieldNames: new Set(), isSubmitted: false })
