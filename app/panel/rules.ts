import type { ShouldRevalidateFunctionArgs } from 'react-router'
import { typedText } from '#app/core/text/typed-text.ts'
import { FORMAS } from '#app/entries/definitions/both-forms.ts'
import { readEstado } from '#app/entries/rules.ts'
import { type EstadoInscripcion, type Filtro, type Inscripcion, MAX_TEXTO_CARACTERES } from '#app/entries/schema.ts'

const MAX_IDS = 500

/**
 * What the panel's addresses say of which entries they mean; whatever they say wrongly counts as not said.
 * @param edicion the year that is shown
 */
export function readFiltro(params: URLSearchParams, edicion: number): Filtro {
  const tipo = params.get('tipo')
  const texto = typedText(params.get('buscar') ?? '').slice(0, MAX_TEXTO_CARACTERES)
  const ids = params.getAll('id').map(Number).filter(isId).slice(0, MAX_IDS)
  return {
    edicion,
    tipo: Object.values(FORMAS).find((forma) => forma.tipo === tipo)?.tipo,
    estado: readEstado(params.get('estado')),
    fueraDeEdad: params.get('edad') === 'fuera' || undefined,
    texto: texto || undefined,
    ids: ids.length > 0 ? ids : undefined,
  }
}

/** What the list does to several entries at once: the words of its button, of its question and of what came of it. */
export const VARIAS = {
  aceptar: { boton: 'Aceptar las elegidas', verbo: 'Aceptar', hecho: ['Se aceptó', 'Se aceptaron'] },
  rechazar: { boton: 'Rechazar las elegidas', verbo: 'Rechazar', hecho: ['Se rechazó', 'Se rechazaron'] },
  borrar: { boton: 'Borrar las elegidas', verbo: 'Borrar', hecho: ['Se borró', 'Se borraron'] },
} as const

export type HacerConVarias = keyof typeof VARIAS

export const readHacerConVarias = (text: unknown): HacerConVarias | undefined =>
  typeof text === 'string' && Object.hasOwn(VARIAS, text) ? (text as HacerConVarias) : undefined

/** What was done to several can be taken back with one press, but for a deletion. */
export const ESTADO_DE_VARIAS = { aceptar: 'aceptada', rechazar: 'rechazada' } as const

export const cuantas = (number: number): string =>
  number === 1 ? 'una inscripción' : `${number.toLocaleString('es-MX')} inscripciones`

/** Entries as the form of several names them, `12:3` for the third version of the twelfth; what is wrongly said is left out. */
export const readElegidas = (form: FormData): { id: number; version: number }[] =>
  form
    .getAll('id')
    .slice(0, MAX_IDS)
    .map((text) => {
      const [id, version] = String(text).split(':').map(toId)
      return { id: id ?? 0, version: version ?? 0 }
    })
    .filter(({ id, version }) => id > 0 && version > 0)

const isId = (id: number): boolean => Number.isSafeInteger(id) && id > 0

/** An id, or a version, as an address or a form names it; 0, which none is, for anything else. */
export const toId = (text: unknown): number => (isId(Number(text)) ? Number(text) : 0)

/** A field of a form or of an address, without what the database has no place for. */
export const campoDe = (from: FormData | URLSearchParams, name: string): string =>
  typedText(String(from.get(name) ?? '').replaceAll('\0', ''))

/** An entry's address within the list that a filter makes, with a document open. */
export function toInscripcion(id: number, filtro: Omit<Filtro, 'edicion'>, ver?: number | 'primero'): string {
  const said = toParams(filtro)
  const open = ver === undefined ? '' : `${said ? '&' : '?'}ver=${ver}`
  return `/organizadores/inscripciones/${id}${said}${open}`
}

/**
 * Another document of the same entry, in the same list.
 * @param search of the address that one is at
 * @param id undefined: none is open
 */
export function verDe(search: string, id?: number, mostrar = false): string {
  const params = new URLSearchParams(search)
  params.delete('ver')
  params.delete('mostrar')
  if (id !== undefined) params.set('ver', String(id))
  if (mostrar) params.set('mostrar', 'si')
  return `?${params}`
}

/** Whether the last step can be taken back: it was one from a state to another, and nothing came after it. */
export const puedeDeshacer = (historia: Inscripcion['historia'], estado: EstadoInscripcion): boolean =>
  historia[0]?.a === estado && historia[0].de !== estado

/** Another document of the same screen, with nothing to be asked for: what is there holds them all. */
export function revalidateUnlessVer(args: ShouldRevalidateFunctionArgs): boolean {
  const { currentUrl, nextUrl, formMethod } = args
  const rest = ({ pathname, search }: URL) => pathname + verDe(search)
  const isOnlyVer = !formMethod && currentUrl.search !== nextUrl.search && rest(currentUrl) === rest(nextUrl)
  return !isOnlyVer && revalidateAfterClash(args)
}

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
export const revalidateAfterClash = ({ actionStatus, defaultShouldRevalidate }: ShouldRevalidateFunctionArgs) =>
  actionStatus === 409 || defaultShouldRevalidate
