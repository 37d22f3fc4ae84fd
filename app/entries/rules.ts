import { typedText } from '#app/core/text/typed-text.ts'
import { type DocumentKind, EXTRA_DOCUMENT_MESSAGE, kindOf } from '#app/entries/definitions/document-kinds.ts'
import type { Field, FieldValue } from '#app/entries/definitions/field.ts'
import type { FormDescriptor } from '#app/entries/definitions/form.ts'
import { ENTRY_STATES, type EntryState } from './schema.ts'

/** Typed texts by the names of their fields; `checkForm` takes an absent text for an empty one. */
export type TypedValues = Readonly<Record<string, string | undefined>>
/** Numbers of files by kind of document; an absent kind counts as 0. */
export type FileCounts = Readonly<Partial<Record<DocumentKind, number>>>
/** Checked values by the names of their fields; null for an optional field that was left empty. */
export type CheckedValues = Readonly<Record<string, FieldValue | null>>

export interface FieldError {
  /** Name of a field or kind of document, which is also the id of its control. */
  campo: string
  message: string
}

export type Validation =
  | { ok: true; values: CheckedValues }
  | { ok: false; reason: 'incompleto' | 'datosInvalidos'; message: string; campos: FieldError[] }

/** A failed check with its text for the banner. `checkForm` shows at most one of these texts, and hands all problems on. */
interface Problem extends FieldError {
  isMissing: boolean
  /** If nothing is missing, the invalid value with the lowest rank gives the banner's message. */
  bannerRank: number
  /** Text for the banner; `message` is the text beside the field. */
  bannerMessage: string
}

/** Checks that the specification does not order come after all checks that it orders. */
const UNRANKED = 1_000

const missingProblem = (field: string, message: string): Problem => ({
  campo: field,
  message,
  bannerMessage: message,
  isMissing: true,
  bannerRank: 0,
})
const invalidProblem = (
  field: string,
  bannerMessage: string,
  message = bannerMessage,
  bannerRank = UNRANKED,
): Problem => ({
  campo: field,
  message,
  bannerMessage,
  bannerRank,
  isMissing: false,
})

function checkField(field: Field, typedValues: TypedValues): { value: FieldValue | null } | Problem {
  const { name } = field
  const text = typedText(typedValues[name] ?? '') || (field.defaultText ?? '')
  if (text === '') return field.isOptional ? { value: null } : missingProblem(name, field.missingMessage)
  const value = field.parse(text)
  if (value === undefined)
    return field.isMissingWhenUnreadable
      ? missingProblem(name, field.unreadableMessage(text))
      : invalidProblem(name, field.unreadableMessage(text))
  const failedCheck = field.checks.find((check) => check.fails(value))
  return failedCheck
    ? invalidProblem(name, failedCheck.sentence, failedCheck.shortSentence, failedCheck.bannerRank)
    : { value }
}

function checkFileCount(kind: DocumentKind, fileCount: number): Problem | undefined {
  const { fileCount: expectedCount, missingMessage } = kindOf(kind)
  if (fileCount === expectedCount) return undefined
  // §5 gives one message for a missing and for a surplus side of the voter card.
  if (fileCount === 0 || expectedCount === 2) return missingProblem(kind, missingMessage)
  return invalidProblem(kind, EXTRA_DOCUMENT_MESSAGE)
}

/**
 * Checks a typed form and the number of files of each kind. The result's `message` is the form's own message if anything counts
 * as missing, else the banner message of the first failed check in the specification's order. `findFileRefusal` checks the files
 * themselves.
 * @source §5, §9; D9, D11, D14
 */
export function checkForm(descriptor: FormDescriptor, typedValues: TypedValues, fileCounts: FileCounts): Validation {
  const values: Record<string, FieldValue | null> = {}
  const problems: Problem[] = []
  for (const field of descriptor.fields) {
    const fieldCheck = checkField(field, typedValues)
    if ('value' in fieldCheck) values[field.name] = fieldCheck.value
    else problems.push(fieldCheck)
  }
  for (const kind of descriptor.kinds)
    problems.push(...[checkFileCount(kind, fileCounts[kind] ?? 0)].filter((problem) => problem !== undefined))
  if (problems.length === 0) return { ok: true, values }
  const missingProblems = problems.filter(({ isMissing }) => isMissing)
  const invalidProblems = problems.filter(({ isMissing }) => !isMissing).toSorted((a, b) => a.bannerRank - b.bannerRank)
  const fieldErrors = [...missingProblems, ...invalidProblems].map(({ campo, message }) => ({ campo, message }))
  return missingProblems.length > 0
    ? { ok: false, reason: 'incompleto', message: descriptor.incompleteMessage, campos: fieldErrors }
    : { ok: false, reason: 'datosInvalidos', message: invalidProblems[0]!.bannerMessage, campos: fieldErrors }
}

/**
 * Checks telephone number and email by the rules of the whole form. A field that `typedValues` lacks is neither checked nor in
 * the result.
 */
export function checkContact(
  { fields }: Pick<FormDescriptor, 'fields'>,
  typedValues: TypedValues,
): { ok: true; values: { field: Field; value: FieldValue | null }[] } | { ok: false; campos: FieldError[] } {
  const typedFields = contactFieldsOf({ fields }).filter(({ name }) => typedValues[name] !== undefined)
  const checkedFields = typedFields.map((field) => ({ field, checked: checkField(field, typedValues) }))
  const problems = checkedFields.flatMap(({ checked }) => ('value' in checked ? [] : [checked]))
  if (problems.length > 0) return { ok: false, campos: problems.map(({ campo, message }) => ({ campo, message })) }
  return {
    ok: true,
    values: checkedFields.flatMap(({ field, checked }) =>
      'value' in checked ? [{ field, value: checked.value }] : [],
    ),
  }
}

export const contactFieldsOf = ({ fields }: Pick<FormDescriptor, 'fields'>): Field[] =>
  fields.filter(({ summaryColumn }) => summaryColumn === 'celular' || summaryColumn === 'correo')

export const parseEntryState = (text: unknown): EntryState | undefined => ENTRY_STATES.find((state) => state === text)

/** Returns the states other than `from` that an organiser can choose; only the undoing of a change gives «recibida» back. */
export const listChoosableStates = (from: EntryState): EntryState[] =>
  ENTRY_STATES.filter((state) => state !== from && state !== 'recibida')

/** Matches a folio that is typed at least as far as the first character of its third group. */
const FOLIO_BEGINNING = /^[0-9a-z]{4}-[0-9a-z]{4}-[0-9a-z]{1,4}$/

/**
 * Turns a typed text into a tsquery over the column `busqueda`: every word as a prefix, without case or accents.
 * @returns undefined if the text holds nothing to search for
 * @see https://www.postgresql.org/docs/current/datatype-textsearch.html
 */
export function toTsquery(text: string): string | undefined {
  const words = typedText(text)
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .split(/[^\p{L}\p{N}@._+-]+/u)
    .map((word) => word.replace(/^[._+-]+|[._+-]+$/g, ''))
    .map((word) => (FOLIO_BEGINNING.test(word) || /^[\d.+-]+$/.test(word) ? word.replace(/[.+-]/g, '') : word))
    .filter((word) => word !== '')
  // The quotes keep PostgreSQL from reading a character of the word as an operator.
  const quotedPrefix = (word: string) => `'${word}':*`
  // PostgreSQL reads a word that begins like «8e296» as a number, and splits the rest of the folio off.
  const prefixQuery = (word: string) => {
    const [, number, rest] = /^(\d+e\d+)([a-z].*)$/.exec(word) ?? []
    return rest ? `(${quotedPrefix(word)} | ('${number}' & ${quotedPrefix(rest)}))` : quotedPrefix(word)
  }
  const terms: string[] = []
  const isNumber = (word: string | undefined) => word !== undefined && /^\d+$/.test(word)
  for (let start = 0; start < words.length; ) {
    let end = start + 1
    if (isNumber(words[start])) while (isNumber(words[end])) end++
    const group = words.slice(start, end)
    const eachWord = group.map(prefixQuery).join(' & ')
    // Groups of digits may be one telephone number, so the query matches them as typed or joined.
    terms.push(group.length > 1 ? `(${prefixQuery(group.join(''))} | (${eachWord}))` : eachWord)
    start = end
  }
  return terms.length === 0 ? undefined : terms.join(' & ')
}
