import type { ShouldRevalidateFunctionArgs } from 'react-router'
import { typedText } from '#app/core/text/typed-text.ts'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import { readState } from '#app/entries/rules.ts'
import { type Entry, type EntryFilter, type EntryState, MAX_TEXT_CHARACTERS } from '#app/entries/schema.ts'

const MAX_IDS = 500

/**
 * Reads the filter of entries from a query; invalid parts are ignored.
 * @param edition year of the edition that the organiser works on
 */
export function readFilter(params: URLSearchParams, edition: number): EntryFilter {
  const type = params.get('tipo')
  const text = typedText(params.get('buscar') ?? '').slice(0, MAX_TEXT_CHARACTERS)
  const ids = params.getAll('id').map(Number).filter(isId).slice(0, MAX_IDS)
  return {
    edition,
    type: Object.values(FORMS).find((form) => form.type === type)?.type,
    state: readState(params.get('estado')),
    isOutsideAgeRange: params.get('edad') === 'fuera' || undefined,
    text: text || undefined,
    ids: ids.length > 0 ? ids : undefined,
  }
}

/** Bulk actions of the inbox: label of the button, verb of the question, and result (singular and plural). */
export const BULK_ACTIONS = {
  aceptar: { boton: 'Aceptar las elegidas', verbo: 'Aceptar', hecho: ['Se aceptó', 'Se aceptaron'] },
  rechazar: { boton: 'Rechazar las elegidas', verbo: 'Rechazar', hecho: ['Se rechazó', 'Se rechazaron'] },
  borrar: { boton: 'Borrar las elegidas', verbo: 'Borrar', hecho: ['Se borró', 'Se borraron'] },
} as const

export type BulkAction = keyof typeof BULK_ACTIONS

export const readBulkAction = (text: unknown): BulkAction | undefined =>
  typeof text === 'string' && Object.hasOwn(BULK_ACTIONS, text) ? (text as BulkAction) : undefined

/** The state that a bulk action sets. A deletion sets none, and cannot be undone. */
export const BULK_STATES = { aceptar: 'aceptada', rechazar: 'rechazada' } as const

export const howMany = (number: number): string =>
  number === 1 ? 'una inscripción' : `${number.toLocaleString('es-MX')} inscripciones`

/** The entries of a bulk form, each like `12:3` for version 3 of entry 12; invalid ones are left out. */
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

/** An id or a version from an address or a form; 0, which is never valid, for anything else. */
export const toId = (text: unknown): number => (isId(Number(text)) ? Number(text) : 0)

/** A field of a form or a query, normalised, without NUL characters, which PostgreSQL rejects. */
export const readField = (from: FormData | URLSearchParams, name: string): string =>
  typedText(String(from.get(name) ?? '').replaceAll('\0', ''))

/** An entry's address, which keeps the list's filter and may open a document. */
export function entryAddress(id: number, filter: Omit<EntryFilter, 'edition'>, view?: number | 'primero'): string {
  const said = toParams(filter)
  const open = view === undefined ? '' : `${said ? '&' : '?'}ver=${view}`
  return `/organizadores/inscripciones/${id}${said}${open}`
}

/**
 * The query that opens another document of the same entry, with the list's filter.
 * @param search the current query
 * @param id of the document; undefined: none is open
 */
export function viewSearch(search: string, id?: number, show = false): string {
  const params = new URLSearchParams(search)
  params.delete('ver')
  params.delete('mostrar')
  if (id !== undefined) params.set('ver', String(id))
  if (show) params.set('mostrar', 'si')
  return `?${params}`
}

/** Whether the last step can be undone: it led from another state to the current one. */
export const canUndo = (events: Entry['history'], state: EntryState): boolean =>
  events[0]?.a === state && events[0].de !== state

/** Skips the revalidation where only the open document changes: the loader has returned all documents. */
export function revalidateUnlessView(args: ShouldRevalidateFunctionArgs): boolean {
  const { currentUrl, nextUrl, formMethod } = args
  const rest = ({ pathname, search }: URL) => pathname + viewSearch(search)
  const isOnlyView = !formMethod && currentUrl.search !== nextUrl.search && rest(currentUrl) === rest(nextUrl)
  return !isOnlyView && revalidateAfterClash(args)
}

/** A filter as a query, without its undefined parts. */
export function toParams({ type, state, isOutsideAgeRange, text }: Omit<EntryFilter, 'edition'>): string {
  const params = new URLSearchParams()
  if (type) params.set('tipo', type)
  if (state) params.set('estado', state)
  if (isOutsideAgeRange) params.set('edad', 'fuera')
  if (text) params.set('buscar', text)
  const said = params.toString()
  return said && `?${said}`
}

/** A filter for the audit log: at most 40 ids, and without the search text, which may be a person's name. */
export const forAuditLog = ({ edition, type, state, isOutsideAgeRange, text, ids }: EntryFilter) => ({
  edicion: edition,
  elegidas: ids?.length,
  ids: ids?.slice(0, 40),
  tipo: type,
  estado: state,
  fueraDeEdad: isOutsideAgeRange,
  conBusqueda: text ? true : undefined,
})

/** Revalidates after a conflict (409), so that the organiser sees the others' change. */
export const revalidateAfterClash = ({ actionStatus, defaultShouldRevalidate }: ShouldRevalidateFunctionArgs) =>
  actionStatus === 409 || defaultShouldRevalidate
