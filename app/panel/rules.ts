import type { ShouldRevalidateFunctionArgs } from 'react-router'
import { typedText } from '#app/core/text/typed-text.ts'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import { readState } from '#app/entries/rules.ts'
import { type Entry, type EntryFilter, type EntryState, MAX_TEXT_CHARACTERS } from '#app/entries/schema.ts'

const MAX_IDS = 500

/**
 * What the panel's addresses say of which entries they mean; whatever they say wrongly counts as not said.
 * @param edition the year that is shown
 */
export function readFilter(params: URLSearchParams, edition: number): EntryFilter {
  const type = params.get('tipo')
  const text = typedText(params.get('buscar') ?? '').slice(0, MAX_TEXT_CHARACTERS)
  const ids = params.getAll('id').map(Number).filter(isId).slice(0, MAX_IDS)
  return {
    edicion: edition,
    tipo: Object.values(FORMS).find((forma) => forma.tipo === type)?.tipo,
    estado: readState(params.get('estado')),
    fueraDeEdad: params.get('edad') === 'fuera' || undefined,
    texto: text || undefined,
    ids: ids.length > 0 ? ids : undefined,
  }
}

/** What the list does to several entries at once: the words of its button, of its question and of what came of it. */
export const BULK_ACTIONS = {
  aceptar: { boton: 'Aceptar las elegidas', verbo: 'Aceptar', hecho: ['Se aceptó', 'Se aceptaron'] },
  rechazar: { boton: 'Rechazar las elegidas', verbo: 'Rechazar', hecho: ['Se rechazó', 'Se rechazaron'] },
  borrar: { boton: 'Borrar las elegidas', verbo: 'Borrar', hecho: ['Se borró', 'Se borraron'] },
} as const

export type BulkAction = keyof typeof BULK_ACTIONS

export const readBulkAction = (text: unknown): BulkAction | undefined =>
  typeof text === 'string' && Object.hasOwn(BULK_ACTIONS, text) ? (text as BulkAction) : undefined

/** What was done to several can be taken back with one press, but for a deletion. */
export const BULK_STATES = { aceptar: 'aceptada', rechazar: 'rechazada' } as const

export const howMany = (number: number): string =>
  number === 1 ? 'una inscripción' : `${number.toLocaleString('es-MX')} inscripciones`

/** Entries as the form of several names them, `12:3` for the third version of the twelfth; what is wrongly said is left out. */
export const readSelectedEntries = (form: FormData): { id: number; version: number }[] =>
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
export const readField = (from: FormData | URLSearchParams, name: string): string =>
  typedText(String(from.get(name) ?? '').replaceAll('\0', ''))

/** An entry's address within the list that a filter makes, with a document open. */
export function entryAddress(id: number, filter: Omit<EntryFilter, 'edicion'>, view?: number | 'primero'): string {
  const said = toParams(filter)
  const open = view === undefined ? '' : `${said ? '&' : '?'}ver=${view}`
  return `/organizadores/inscripciones/${id}${said}${open}`
}

/**
 * Another document of the same entry, in the same list.
 * @param search of the address that one is at
 * @param id undefined: none is open
 */
export function viewSearch(search: string, id?: number, show = false): string {
  const params = new URLSearchParams(search)
  params.delete('ver')
  params.delete('mostrar')
  if (id !== undefined) params.set('ver', String(id))
  if (show) params.set('mostrar', 'si')
  return `?${params}`
}

/** Whether the last step can be taken back: it was one from a state to another, and nothing came after it. */
export const canUndo = (events: Entry['historia'], state: EntryState): boolean =>
  events[0]?.a === state && events[0].de !== state

/** Another document of the same screen, with nothing to be asked for: what is there holds them all. */
export function revalidateUnlessView(args: ShouldRevalidateFunctionArgs): boolean {
  const { currentUrl, nextUrl, formMethod } = args
  const rest = ({ pathname, search }: URL) => pathname + viewSearch(search)
  const isOnlyView = !formMethod && currentUrl.search !== nextUrl.search && rest(currentUrl) === rest(nextUrl)
  return !isOnlyView && revalidateAfterClash(args)
}

/** The same filter as an address, with something changed; undefined takes a part away. */
export function toParams({ tipo, estado, fueraDeEdad, texto }: Omit<EntryFilter, 'edicion'>): string {
  const params = new URLSearchParams()
  if (tipo) params.set('tipo', tipo)
  if (estado) params.set('estado', estado)
  if (fueraDeEdad) params.set('edad', 'fuera')
  if (texto) params.set('buscar', texto)
  const said = params.toString()
  return said && `?${said}`
}

/** A filter as the log keeps it: without what was looked for, which may be a person's name, and at most 40 of the ids. */
export const forAuditLog = ({ edicion, tipo, estado, fueraDeEdad, texto, ids }: EntryFilter) => ({
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
