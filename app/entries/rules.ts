import { typedText } from '#app/core/text/typed-text.ts'
import { type DocumentKind, EXTRA_DOCUMENT, kindOf } from '#app/entries/definitions/document-kinds.ts'
import type { Field, Valor } from '#app/entries/definitions/field.ts'
import type { Forma } from '#app/entries/definitions/form.ts'
import { type EntryState, STATES } from './schema.ts'

/** Typed text of each field, by the field's name. */
export type TypedValues = Readonly<Record<string, string | undefined>>
/** How many files were chosen (browser) or received (server), by kind. */
export type FileCounts = Readonly<Partial<Record<DocumentKind, number>>>
/** The values of a form once checked, under the keys of §3; null where an optional field was left empty. */
export type Data = Readonly<Record<string, Valor | null>>

/** A fault of one field or document, for the person to correct. */
export interface FieldError {
  /** Name of a field, or kind of document. */
  campo: string
  /** Shown beside the field. */
  message: string
}

export type Validation =
  | { ok: true; datos: Data }
  | { ok: false; reason: 'incompleto' | 'datosInvalidos'; message: string; campos: FieldError[] }

/** A fault before the order of the messages is decided. */
interface Problem extends FieldError {
  isMissing: boolean
  /** Place in the specification's order of checks. */
  turno: number
  /** Shown in the banner. */
  oracion: string
}

/** Place of the checks that the specification does not name: after all the others. */
const LAST_TURN = 1_000

const missing = (field: string, message: string): Problem => ({
  campo: field,
  message,
  oracion: message,
  isMissing: true,
  turno: 0,
})
const mal = (field: string, sentence: string, message = sentence, turn = LAST_TURN): Problem => ({
  ...{ campo: field, message, oracion: sentence, turno: turn },
  isMissing: false,
})

function checkField(field: Field, typedValues: TypedValues): { valor: Valor | null } | Problem {
  const { nombre } = field
  const text = typedText(typedValues[nombre] ?? '') || (field.porOmision ?? '')
  if (text === '') return field.esOpcional ? { valor: null } : missing(nombre, field.falta)
  const valor = field.leer(text)
  if (valor === undefined)
    return field.ilegibleFalta ? missing(nombre, field.ilegible(text)) : mal(nombre, field.ilegible(text))
  const failed = field.revisiones.find((revision) => revision.falla(valor))
  return failed ? mal(nombre, failed.oracion, failed.breve, failed.turno) : { valor }
}

function checkKind(kind: DocumentKind, quantity: number): Problem | undefined {
  const { archivos, falta: message } = kindOf(kind)
  if (quantity === archivos) return undefined
  // A missing and a surplus side of the voter card get the same message. @source §5
  if (quantity === 0 || archivos === 2) return missing(kind, message)
  return mal(kind, EXTRA_DOCUMENT)
}

/**
 * Checks a typed form and the number of files of each kind. If anything is missing, the banner shows the form's own sentence;
 * else the first check that fails in the specification's order. `refuseFile` checks the files themselves afterwards.
 * @param typedValues text of each field; absent counts as empty
 * @source §5, §9; D9, D11, D14
 */
export function checkForm(forma: Forma, typedValues: TypedValues, quantity: FileCounts): Validation {
  const data: Record<string, Valor | null> = {}
  const problems: Problem[] = []
  for (const field of forma.campos) {
    const checked = checkField(field, typedValues)
    if ('valor' in checked) data[field.nombre] = checked.valor
    else problems.push(checked)
  }
  for (const kind of forma.clases)
    problems.push(...[checkKind(kind, quantity[kind] ?? 0)].filter((one) => one !== undefined))
  if (problems.length === 0) return { ok: true, datos: data }
  const missing = problems.filter(({ isMissing }) => isMissing)
  const wrong = problems.filter(({ isMissing }) => !isMissing).toSorted((a, b) => a.turno - b.turno)
  const fields = [...missing, ...wrong].map(({ campo, message }) => ({ campo, message }))
  return missing.length > 0
    ? { ok: false, reason: 'incompleto', message: forma.incompleto, campos: fields }
    : { ok: false, reason: 'datosInvalidos', message: wrong[0]!.oracion, campos: fields }
}

/**
 * Checks the typed contact fields (telephone and email) by the same rules as the whole form.
 * @returns the typed fields with their values, or the faults
 */
export function checkContact(
  { campos }: Pick<Forma, 'campos'>,
  typedValues: TypedValues,
): { ok: true; leidos: { campo: Field; valor: Valor | null }[] } | { ok: false; campos: FieldError[] } {
  const typed = contactFieldsOf({ campos }).filter(({ nombre }) => typedValues[nombre] !== undefined)
  const checkedFields = typed.map((field) => ({ campo: field, revisado: checkField(field, typedValues) }))
  const wrong = checkedFields.flatMap(({ revisado }) => ('valor' in revisado ? [] : [revisado]))
  if (wrong.length > 0) return { ok: false, campos: wrong.map(({ campo, message }) => ({ campo, message })) }
  return {
    ok: true,
    leidos: checkedFields.flatMap(({ campo, revisado }) =>
      'valor' in revisado ? [{ campo, valor: revisado.valor }] : [],
    ),
  }
}

export const contactFieldsOf = ({ campos }: Pick<Forma, 'campos'>): Field[] =>
  campos.filter(({ resumen }) => resumen === 'celular' || resumen === 'correo')

export const readState = (text: unknown): EntryState | undefined => STATES.find((state) => state === text)

/** States that an organiser can choose; only undoing a change leads back to «recibida». */
export const nextStates = (de: EntryState): EntryState[] =>
  STATES.filter((state) => state !== de && state !== 'recibida')

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
  // Quoted, so that no character of the word is read as an operator.
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
    // Groups of digits may be one telephone: searched as typed, or joined.
    terms.push(group.length > 1 ? `(${begins(group.join(''))} | (${apart}))` : apart)
    at = end
  }
  return terms.length === 0 ? undefined : terms.join(' & ')
}
