import { ESTADOS, type EstadoInscripcion, type Filtro, MAX_TEXTO_CARACTERES } from './schema.ts'

/** Years, both included: a hint of the form, a mark in the panel. @source specification §5; decision 14 */
export const EDAD_DESDE = 18
export const EDAD_HASTA = 26

export const fueraDeEdad = (edad: number | null): boolean => edad !== null && (edad < EDAD_DESDE || edad > EDAD_HASTA)

const MAX_IDS = 500

/**
 * What the panel's addresses say of which entries they mean; whatever they say wrongly counts as not said.
 * @param edicion the year that is shown
 */
export function readFiltro(params: URLSearchParams, edicion: number): Filtro {
  const tipo = params.get('tipo')
  const texto = params.get('buscar')?.trim().slice(0, MAX_TEXTO_CARACTERES)
  const ids = params.getAll('id').map(Number).filter(isId).slice(0, MAX_IDS)
  return {
    edicion,
    tipo: tipo === 'candidata' || tipo === 'traje' ? tipo : undefined,
    estado: readEstado(params.get('estado')),
    fueraDeEdad: params.get('edad') === 'fuera' || undefined,
    texto: texto || undefined,
    ids: ids.length > 0 ? ids : undefined,
  }
}

export const readEstado = (text: unknown): EstadoInscripcion | undefined => ESTADOS.find((estado) => estado === text)

const isId = (id: number): boolean => Number.isSafeInteger(id) && id > 0

/** An id, or a version, as an address or a form names it; 0, which none is, for anything else. */
export const toId = (text: unknown): number => (isId(Number(text)) ? Number(text) : 0)

/** A field of a form or of an address, without what the database has no place for. */
export const campoDe = (from: FormData | URLSearchParams, name: string): string =>
  String(from.get(name) ?? '')
    .replaceAll('\0', '')
    .trim()

/** The same filter as an address, with something changed; undefined takes a part away. */
export function toParams({ tipo, estado, fueraDeEdad, texto }: Omit<Filtro, 'edicion'>): string {
  const params = new URLSearchParams()
  if (tipo) params.set('tipo', tipo)
  if (estado) params.set('estado', estado)
  if (fueraDeEdad) params.set('edad', 'fuera')
  if (texto) params.set('buscar', texto)
  const said = params.toString()
  return said && `?${said}`
}

const FOLIO = /^[0-9a-z]{4}-[0-9a-z]{4}-[0-9a-z]{1,4}$/

/**
 * What was typed, as the search of PostgreSQL takes it: every word as a beginning, without case or accents, as the
 * column `busqueda` holds them.
 * @returns a tsquery; undefined when there is nothing to look for
 */
export function toTsquery(texto: string): string | undefined {
  const words = texto
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .split(/[^\p{L}\p{N}@._+-]+/u)
    .map((word) => word.replace(/^[._+-]+|[._+-]+$/g, ''))
    .map((word) => (FOLIO.test(word) || /^[\d.+-]+$/.test(word) ? word.replace(/[.+-]/g, '') : word))
    .filter((word) => word !== '')
  // Quoted: what stands between the marks is a word, whatever it holds.
  const begins = (word: string) => `'${word}':*`
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

/** States that an organiser can set; back to «recibida» there is only undoing. */
export const siguientes = (de: EstadoInscripcion): EstadoInscripcion[] =>
  ESTADOS.filter((estado) => estado !== de && estado !== 'recibida')

/** A filter as the log keeps it: without what was looked for, which may be a person's name, and at most 40 of the ids. */
export const paraBitacora = ({ edicion, tipo, estado, fueraDeEdad, texto, ids }: Filtro) => ({
  edicion,
  elegidas: ids?.length,
  ids: ids?.slice(0, 40),
  tipo,
  estado,
  fueraDeEdad,
  conBusqueda: texto ? true : undefined,
})

/** Whoever was too late sees what the others made of it. */
export const revalidateAfterClash = ({
  actionStatus,
  defaultShouldRevalidate,
}: {
  actionStatus?: number
  defaultShouldRevalidate: boolean
}): boolean => actionStatus === 409 || defaultShouldRevalidate
