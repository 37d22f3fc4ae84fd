import { typedText } from '#app/core/text/typed-text.ts'
import { type ClaseDocumento, claseOf, SOBRA_DOCUMENTO } from '#app/entries/definitions/document-kinds.ts'
import type { Campo, Valor } from '#app/entries/definitions/field.ts'
import type { Forma } from '#app/entries/definitions/form.ts'
import { ESTADOS, type EstadoInscripcion } from './schema.ts'

/** Text of each field, as it was typed. */
export type Tecleado = Readonly<Record<string, string | undefined>>
/** How many files were chosen (browser) or received (server), by kind. */
export type CuantosArchivos = Readonly<Partial<Record<ClaseDocumento, number>>>
/** The values of a form once checked, under the keys of §3; null where an optional field was left empty. */
export type Datos = Readonly<Record<string, Valor | null>>

/** Something to mend. */
export interface ErrorCampo {
  /** Name of a field, or kind of document. */
  campo: string
  /** For the field's own line. */
  message: string
}

export type Validacion =
  | { ok: true; datos: Datos }
  | { ok: false; reason: 'incompleto' | 'datosInvalidos'; message: string; campos: ErrorCampo[] }

/** What is wrong with one field or document. */
interface Reparo extends ErrorCampo {
  isMissing: boolean
  /** Place in the specification's order. */
  turno: number
  /** For the banner. */
  oracion: string
}

/** Behind every turn that the specification gives. */
const SIN_TURNO = 1_000

const falta = (campo: string, message: string): Reparo => ({
  campo,
  message,
  oracion: message,
  isMissing: true,
  turno: 0,
})
const mal = (campo: string, oracion: string, message = oracion, turno = SIN_TURNO): Reparo => ({
  ...{ campo, message, oracion, turno },
  isMissing: false,
})

function revisarCampo(campo: Campo, tecleado: Tecleado): { valor: Valor | null } | Reparo {
  const { nombre } = campo
  const texto = typedText(tecleado[nombre] ?? '') || (campo.porOmision ?? '')
  if (texto === '') return campo.esOpcional ? { valor: null } : falta(nombre, campo.falta)
  const valor = campo.leer(texto)
  if (valor === undefined)
    return campo.ilegibleFalta ? falta(nombre, campo.ilegible(texto)) : mal(nombre, campo.ilegible(texto))
  const fallida = campo.revisiones.find((revision) => revision.falla(valor))
  return fallida ? mal(nombre, fallida.oracion, fallida.breve, fallida.turno) : { valor }
}

function revisarClase(clase: ClaseDocumento, cuantos: number): Reparo | undefined {
  const { archivos, falta: message } = claseOf(clase)
  if (cuantos === archivos) return undefined
  // The two sides of the credential are asked for together, however many came. @source §5
  if (cuantos === 0 || archivos === 2) return falta(clase, message)
  return mal(clase, SOBRA_DOCUMENTO)
}

/**
 * Checks a form as it was typed, with how many files each kind has. What is missing is said first, by the form's own
 * sentence; else the first check that fails in the specification's order gives the banner. The files themselves are
 * looked at afterwards (refuseArchivo).
 * @param tecleado text of each field; absent counts as empty
 * @source §5, §9; D9, D11, D14
 */
export function revisarForma(forma: Forma, tecleado: Tecleado, cuantos: CuantosArchivos): Validacion {
  const datos: Record<string, Valor | null> = {}
  const reparos: Reparo[] = []
  for (const campo of forma.campos) {
    const revisado = revisarCampo(campo, tecleado)
    if ('valor' in revisado) datos[campo.nombre] = revisado.valor
    else reparos.push(revisado)
  }
  for (const clase of forma.clases)
    reparos.push(...[revisarClase(clase, cuantos[clase] ?? 0)].filter((one) => one !== undefined))
  if (reparos.length === 0) return { ok: true, datos }
  const missing = reparos.filter(({ isMissing }) => isMissing)
  const wrong = reparos.filter(({ isMissing }) => !isMissing).toSorted((a, b) => a.turno - b.turno)
  const campos = [...missing, ...wrong].map(({ campo, message }) => ({ campo, message }))
  return missing.length > 0
    ? { ok: false, reason: 'incompleto', message: forma.incompleto, campos }
    : { ok: false, reason: 'datosInvalidos', message: wrong[0]!.oracion, campos }
}

/**
 * Checks the fields by which a person is reached, as they were typed; a form is held to the same ones.
 * @returns the fields that were typed, with their values; or what is wrong with them
 */
export function revisarContacto(
  { campos }: Pick<Forma, 'campos'>,
  tecleado: Tecleado,
): { ok: true; leidos: { campo: Campo; valor: Valor | null }[] } | { ok: false; campos: ErrorCampo[] } {
  const typed = camposDeContacto({ campos }).filter(({ nombre }) => tecleado[nombre] !== undefined)
  const revisados = typed.map((campo) => ({ campo, revisado: revisarCampo(campo, tecleado) }))
  const wrong = revisados.flatMap(({ revisado }) => ('valor' in revisado ? [] : [revisado]))
  if (wrong.length > 0) return { ok: false, campos: wrong.map(({ campo, message }) => ({ campo, message })) }
  return {
    ok: true,
    leidos: revisados.flatMap(({ campo, revisado }) => ('valor' in revisado ? [{ campo, valor: revisado.valor }] : [])),
  }
}

export const camposDeContacto = ({ campos }: Pick<Forma, 'campos'>): Campo[] =>
  campos.filter(({ resumen }) => resumen === 'celular' || resumen === 'correo')

export const readEstado = (text: unknown): EstadoInscripcion | undefined => ESTADOS.find((estado) => estado === text)

/** States that an organiser can set; back to «recibida» there is only undoing. */
export const siguientes = (de: EstadoInscripcion): EstadoInscripcion[] =>
  ESTADOS.filter((estado) => estado !== de && estado !== 'recibida')

const FOLIO = /^[0-9a-z]{4}-[0-9a-z]{4}-[0-9a-z]{1,4}$/

/**
 * What was typed, as the search of PostgreSQL takes it: every word as a beginning, without case or accents, as the
 * column `busqueda` holds them.
 * @returns a tsquery; undefined when there is nothing to look for
 */
export function toTsquery(texto: string): string | undefined {
  const words = typedText(texto)
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
