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
  besideKind?: DocumentKind
  /** Files refused only for their names. */
  filesToRename?: File[]
}

/** Start of a form: blank, with the values that the server returned, or from a draft. */
export interface FormStart {
  submissionId: string
  values: Readonly<Record<string, string>>
  documents: Documents
  received: Partial<Record<DocumentKind, string[]>>
  feedback: RegistrationMessage | undefined
  errors: readonly FieldError[]
  /** The draft was being sent, and sending resumes by itself. */
  resumesSending: boolean
  /** This tab resumed the draft without asking. */
  isResumed: boolean
}

export interface RegistrationState {
  submissionId: string
  documents: Documents
  feedback: RegistrationMessage | undefined
  /** Errors by field; each outlives the message, until its field is touched. */
  errors: readonly FieldError[]
  /** Number of refusals so far; each new one moves the focus to its message. */
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

/** Interactions with a form before its controller was loaded. */
export interface EarlyInput {
  choices: FileChoice[]
  /** Names of the fields that were typed in. */
  fieldNames: Set<string>
  /** Whether the submit button was pressed. */
  isSubmitted: boolean
}

export const nothingBefore = (): EarlyInput => ({ choices: [], fieldNames: new Set(), isSubmitted: false })
