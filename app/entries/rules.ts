import { typedText } from '#app/core/text/typed-text.ts'
import { type DocumentKind, EXTRA_DOCUMENT, kindOf } from '#app/entries/definitions/document-kinds.ts'
import type { Field, Valor } from '#app/entries/definitions/field.ts'
import type { Forma } from '#app/entries/definitions/form.ts'
import { type EntryState, STATES } from './schema.ts'

/** Text of each field, as it was typed. */
export type TypedValues = Readonly<Record<string, string | undefined>>
/** How many files were chosen (browser) or received (server), by kind. */
export type FileCounts = Readonly<Partial<Record<DocumentKind, number>>>
/** The values of a form once checked, under the keys of §3; null where an optional field was left empty. */
export type Data = Readonly<Record<string, Valor | null>>

/** Something to mend. */
export interface FieldError {
  /** Name of a field, or kind of document. */
  campo: string
  /** For the field's own line. */
  message: string
}

export type Validation =
  | { ok: true; datos: Data }
  | { ok: false; reason: 'incompleto' | 'datosInvalidos'; message: string; campos: FieldError[] }

/** What is wrong with one field or document. */
interface Problem extends FieldError {
  isMissing: boolean
  /** Place in the specification's order. */
  turno: number
  /** For the banner. */
  oracion: string
}

/** Behind every turn that the specification gives. */
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
  // The two sides of the credential are asked for together, however many came. @source §5
  if (quantity === 0 || archivos === 2) return missing(kind, message)
  return mal(kind, EXTRA_DOCUMENT)
}

/**
 * Checks a form as it was typed, with how many files each kind has. What is missing is said first, by the form's own
 * sentence; else the first check that fails in the specification's order gives the banner. The files themselves are
 * looked at afterwards (refuseFile).
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
 * Checks the fields by which a person is reached, as they were typed; a form is held to the same ones.
 * @returns the fields that were typed, with their values; or what is wrong with them
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

/** States that an organiser can set; back to «recibida» there is only undoing. */
export const nextStates = (de: EntryState): EntryState[] =>
  STATES.filter((state) => state !== de && state !== 'recibida')

const FOLIO = /^[0-9a-z]{4}-[0-9a-z]{4}-[0-9a-z]{1,4}$/

/**
 * What was typed, as the search of PostgreSQL takes it: every word as a beginning, without case or accents, as the
 * column `busqueda` holds them.
 * @returns a tsquery; undefined when there is nothing to look for
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
  // Quoted: what stands between the marks is a word, whatever it holds.
  const prefix = (word: string) => `'${word}':*`
  // PostgreSQL takes «8e296» for a number wherever a word begins with one, and cuts the rest of a folio off.
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
    // Of a telephone: its groups as they were typed, or all of it in one.
    terms.push(group.length > 1 ? `(${begins(group.join(''))} | (${apart}))` : apart)
    at = end
  }
  return terms.length === 0 ? undefined : terms.join(' & ')
}
