import type { ShouldRevalidateFunctionArgs } from 'react-router'
import { FORMAS } from '#app/inscripciones/formas.ts'
import { readEstado } from '#app/inscripciones/rules.ts'
import { type Filtro, MAX_TEXTO_CARACTERES } from '#app/inscripciones/schema.ts'

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
    tipo: Object.values(FORMAS).find((forma) => forma.tipo === tipo)?.tipo,
    estado: readEstado(params.get('estado')),
    fueraDeEdad: params.get('edad') === 'fuera' || undefined,
    texto: texto || undefined,
    ids: ids.length > 0 ? ids : undefined,
  }
}

/** What the list does to several entries at once: the words of its button, of its question and of what came of it. */
export const VARIAS = {
  rechazar: { boton: 'Rechazar las elegidas', verbo: 'Rechazar', hecho: ['Se rechazó', 'Se rechazaron'] },
  borrar: { boton: 'Borrar las elegidas', verbo: 'Borrar', hecho: ['Se borró', 'Se borraron'] },
} as const

export type HacerConVarias = keyof typeof VARIAS

export const readHacerConVarias = (text: unknown): HacerConVarias | undefined =>
  typeof text === 'string' && Object.hasOwn(VARIAS, text) ? (text as HacerConVarias) : undefined

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
