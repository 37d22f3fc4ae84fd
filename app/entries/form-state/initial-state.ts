import { DOCUMENT_KINDS, type DocumentKind } from '#app/entries/definitions/document-kinds.ts'
import type { FieldError } from '#app/entries/rules.ts'

/** This module describes the state of a registration's form; reducer.ts has its transitions. */

export interface ChosenFile {
  id: string
  file: File
  /** The file is uploaded to this URL; undefined before the upload began, or when it has to begin anew. */
  url: string | undefined
}

export type Documents = Readonly<Record<DocumentKind, readonly ChosenFile[]>>

/** Builds the chosen files of all kinds from a function of the kind. */
export const documentsOf = (of: (kind: DocumentKind) => readonly ChosenFile[]): Documents =>
  Object.fromEntries(DOCUMENT_KINDS.map((kind) => [kind, of(kind)])) as unknown as Documents

interface RegistrationMessage {
  message: string
  /** The message stands beside this document's row; absent: the message is the form's banner. */
  besideKind?: DocumentKind
  /** These files were refused only for their names, so the message has the rename button. */
  filesToRename?: File[]
}

/** A form starts blank, with the values that the server returned, or from a draft. */
export interface FormStart {
  submissionId: string
  values: Readonly<Record<string, string>>
  documents: Documents
  received: Partial<Record<DocumentKind, string[]>>
  feedback: RegistrationMessage | undefined
  errors: readonly FieldError[]
  /** The draft was being sent, so sending resumes by itself. */
  resumesSending: boolean
  /** This tab resumed the draft without asking. */
  isResumed: boolean
}

export interface RegistrationState {
  submissionId: string
  documents: Documents
  feedback: RegistrationMessage | undefined
  /** Each error outlives the banner's message, until its field is touched. */
  errors: readonly FieldError[]
  /** Each refusal raises this number, and the form then moves the focus to the message. */
  refusalCount: number
  /** The form was sent at least once. */
  wasSent: boolean
}

export const startFrom = ({
  submissionId,
  documents,
  feedback,
  errors,
  resumesSending,
}: FormStart): RegistrationState => ({
  submissionId,
  documents,
  feedback,
  errors,
  refusalCount: 0,
  wasSent: resumesSending,
})

export interface FileChoice {
  kind: DocumentKind
  files: File[]
}

/** An EarlyInput holds the interactions with a form before its controller was loaded. */
export interface EarlyInput {
  choices: FileChoice[]
  /** The entrant typed in the fields of these names. */
  fieldNames: Set<string>
  /** The submit button was pressed. */
  isSubmitted: boolean
}

export const emptyEarlyInput = (): EarlyInput => ({ choices: [], fieldNames: new Set(), isSubmitted: false })
