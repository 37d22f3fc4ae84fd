import { typedText } from '#app/core/text/typed-text.ts'
import { type DocumentKind, EXTRA_DOCUMENT_MESSAGE, kindOf } from '#app/entries/definitions/document-kinds.ts'
import type { Field, FieldValue } from '#app/entries/definitions/field.ts'
import type { FormDescriptor } from '#app/entries/definitions/form.ts'
import { ENTRY_STATES, type EntryState } from './schema.ts'

/** The keys are names of fields; an absent text counts as empty. */
export type TypedValues = Readonly<Record<string, string | undefined>>
/** The browser counts chosen files, the server received ones; an absent kind counts as 0. */
export type FileCounts = Readonly<Partial<Record<DocumentKind, number>>>
/** Checked values by the keys of §3; null where an optional field was left empty. */
export type Data = Readonly<Record<string, FieldValue | null>>

/** A FieldError is a fault that the entrant can correct. */
export interface FieldError {
  /** The key is the name of a field or a kind of document, which is also the id of its control. */
  campo: string
  message: string
}

export type Validation =
  | { ok: true; data: Data }
  | { ok: false; reason: 'incompleto' | 'datosInvalidos'; message: string; campos: FieldError[] }

/** A Problem is a fault before `checkForm` decides which fault gives the banner's sentence. */
interface Problem extends FieldError {
  isMissing: boolean
  /** Among problems that are not missing values, the lowest order gives the banner's sentence. */
  order: number
  /** The banner shows this sentence; `message` stands beside the field. */
  sentence: string
}

/** Checks that the specification does not name come after all that it names. */
const LAST_ORDER = 1_000

const missing = (field: string, message: string): Problem => ({
  campo: field,
  message,
  sentence: message,
  isMissing: true,
  order: 0,
})
const invalid = (field: string, sentence: string, message = sentence, turn = LAST_ORDER): Problem => ({
  campo: field,
  message,
  sentence,
  order: turn,
  isMissing: false,
})

function checkField(field: Field, typedValues: TypedValues): { valor: FieldValue | null } | Problem {
  const { name } = field
  const text = typedText(typedValues[name] ?? '') || (field.defaultText ?? '')
  if (text === '') return field.isOptional ? { valor: null } : missing(name, field.missingMessage)
  const value = field.parse(text)
  if (value === undefined)
    return field.isMissingWhenUnreadable
      ? missing(name, field.unreadableMessage(text))
      : invalid(name, field.unreadableMessage(text))
  const failed = field.checks.find((check) => check.fails(value))
  return failed ? invalid(name, failed.sentence, failed.shortSentence, failed.order) : { valor: value }
}

function checkKind(kind: DocumentKind, quantity: number): Problem | undefined {
  const { fileCount, missingMessage: message } = kindOf(kind)
  if (quantity === fileCount) return undefined
  // §5 gives one message for a missing and for a surplus side of the voter card.
  if (quantity === 0 || fileCount === 2) return missing(kind, message)
  return invalid(kind, EXTRA_DOCUMENT_MESSAGE)
}

/**
 * Checks a typed form and the number of files of each kind (§5, §9; D9, D11, D14). If anything is missing, `message` is the
 * form's own sentence; else the sentence of the first check that fails in the specification's order. The files themselves
 * are not checked here: the caller also calls `refuseFile`.
 */
export function checkForm(descriptor: FormDescriptor, typedValues: TypedValues, quantity: FileCounts): Validation {
  const data: Record<string, FieldValue | null> = {}
  const problems: Problem[] = []
  for (const field of descriptor.fields) {
    const checked = checkField(field, typedValues)
    if ('valor' in checked) data[field.name] = checked.valor
    else problems.push(checked)
  }
  for (const kind of descriptor.kinds)
    problems.push(...[checkKind(kind, quantity[kind] ?? 0)].filter((one) => one !== undefined))
  if (problems.length === 0) return { ok: true, data }
  const missing = problems.filter(({ isMissing }) => isMissing)
  const wrong = problems.filter(({ isMissing }) => !isMissing).toSorted((a, b) => a.order - b.order)
  const fields = [...missing, ...wrong].map(({ campo, message }) => ({ campo, message }))
  return missing.length > 0
    ? { ok: false, reason: 'incompleto', message: descriptor.incompleteMessage, campos: fields }
    : { ok: false, reason: 'datosInvalidos', message: wrong[0]!.sentence, campos: fields }
}

/**
 * Checks telephone and email by the same rules as the whole form. A field that `typedValues` lacks is not checked and is
 * absent from the result.
 */
export function checkContact(
  { fields }: Pick<FormDescriptor, 'fields'>,
  typedValues: TypedValues,
): { ok: true; values: { field: Field; value: FieldValue | null }[] } | { ok: false; campos: FieldError[] } {
  const typed = contactFieldsOf({ fields }).filter(({ name }) => typedValues[name] !== undefined)
  const checkedFields = typed.map((field) => ({ field, checked: checkField(field, typedValues) }))
  const wrong = checkedFields.flatMap(({ checked }) => ('valor' in checked ? [] : [checked]))
  if (wrong.length > 0) return { ok: false, campos: wrong.map(({ campo, message }) => ({ campo, message })) }
  return {
    ok: true,
    values: checkedFields.flatMap(({ field, checked }) =>
      'valor' in checked ? [{ field, value: checked.valor }] : [],
    ),
  }
}

export const contactFieldsOf = ({ fields }: Pick<FormDescriptor, 'fields'>): Field[] =>
  fields.filter(({ summaryColumn }) => summaryColumn === 'celular' || summaryColumn === 'correo')

export const readState = (text: unknown): EntryState | undefined => ENTRY_STATES.find((state) => state === text)

/** Lists the states that an organiser can choose; only undoing a change leads back to «recibida». */
export const nextStates = (from: EntryState): EntryState[] =>
  ENTRY_STATES.filter((state) => state !== from && state !== 'recibida')

const FOLIO = /^[0-9a-z]{4}-[0-9a-z]{4}-[0-9a-z]{1,4}$/

/**
 * Turns a typed text into a tsquery over the column `busqueda`: every word as a prefix, without case or accents.
 * @returns undefined when the text holds nothing to search for
 * @see https://www.postgresql.org/docs/current/datatype-textsearch.html
 */
export function toTsquery(text: string): string | undefined {
  const words = typedText(text)
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .split(/[^\p{L}\p{N}@._+-]+/u)
    .map((word) => word.replace(/^[._+-]+|[._+-]+$/g, ''))
    .map((word) => (FOLIO.test(word) || /^[\d.+-]+$/.test(word) ? word.replace(/[.+-]/g, '') : word))
    .filter((word) => word !== '')
  // The quotes keep PostgreSQL from reading a character of the word as an operator.
  const prefix = (word: string) => `'${word}':*`
  // PostgreSQL reads a word that begins like «8e296» as a number, and splits the rest of the folio off.
  const begins = (word: string) => {
    const [, number, rest] = /^(\d+e\d+)([a-z].*)$/.exec(word) ?? []
    return rest ? `(${prefix(word)} | ('${number}' & ${prefix(rest)}))` : prefix(word)
  }
  const terms: string[] = []
  for (let at = 0; at < words.length; ) {
    const isDigit = (word: string | undefined) => word !== undefined && /^\d+$/.test(word)
    let end = at + 1
    if (isDigit(words[at])) while (isDigit(words[end])) end++
    const group = words.slice(at, end)
    const apart = group.map(begins).join(' & ')
    // Groups of digits may be one telephone number, so the query matches them as typed or joined.
    terms.push(group.length > 1 ? `(${begins(group.join(''))} | (${apart}))` : apart)
    at = end
  }
  return terms.length === 0 ? undefined : terms.join(' & ')
}
