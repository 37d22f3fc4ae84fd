import type { ShouldRevalidateFunctionArgs } from 'react-router'
import { typedText } from '#app/core/text/typed-text.ts'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import type { MessageDraft } from '#app/entries/letters/schema.ts'
import { parseState } from '#app/entries/rules.ts'
import { type Entry, type EntryFilter, type EntryState, MAX_SEARCH_CHARACTERS } from '#app/entries/schema.ts'

/** One bulk action takes at most this many entries. */
export const MAX_IDS = 500

/**
 * Reads the filter of entries from a query; invalid parts are ignored, and ids beyond MAX_IDS dropped. `todas` stands for the
 * whole filtered list, whichever rows are ticked.
 * @param edition year of the edition that the organiser works on
 */
export function readFilter(params: URLSearchParams, edition: number): EntryFilter {
  const type = params.get('tipo')
  const text = typedText(params.get('buscar') ?? '').slice(0, MAX_SEARCH_CHARACTERS)
  const ids = params.getAll('id').map(Number).filter(isId).slice(0, MAX_IDS)
  return {
    edition,
    type: Object.values(FORMS).find((form) => form.type === type)?.type,
    state: parseState(params.get('estado')),
    isOutsideAgeRange: params.get('edad') === 'fuera' || undefined,
    text: text || undefined,
    ids: ids.length > 0 && params.get('todas') !== 'si' ? ids : undefined,
  }
}

/** Each bulk action has the label of its button, the verb of its question, and its result in singular and plural. */
export const BULK_ACTIONS = {
  aceptar: { buttonText: 'Aceptar las elegidas', verb: 'Aceptar', doneTexts: ['Se aceptó', 'Se aceptaron'] },
  rechazar: { buttonText: 'Rechazar las elegidas', verb: 'Rechazar', doneTexts: ['Se rechazó', 'Se rechazaron'] },
  borrar: { buttonText: 'Borrar las elegidas', verb: 'Borrar', doneTexts: ['Se borró', 'Se borraron'] },
} as const

export type BulkAction = keyof typeof BULK_ACTIONS

export const readBulkAction = (text: unknown): BulkAction | undefined =>
  typeof text === 'string' && Object.hasOwn(BULK_ACTIONS, text) ? (text as BulkAction) : undefined

/** A bulk action sets this state. A deletion sets none, and cannot be undone. */
export const BULK_STATES = { aceptar: 'aceptada', rechazar: 'rechazada' } as const

export const countInWords = (number: number): string =>
  number === 1 ? 'una inscripción' : `${number.toLocaleString('es-MX')} inscripciones`

/** Reads the entries of a bulk form, each like `12:3` for version 3 of entry 12; invalid texts are left out. */
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

/** Reads an id or a version from an address or a form; 0, which is never valid, for anything else. */
export const toId = (text: unknown): number => (isId(Number(text)) ? Number(text) : 0)

/** Reads a field of a form or a query, normalised, without NUL characters, which PostgreSQL rejects; '' when absent. */
export const readField = (from: FormData | URLSearchParams, name: string): string =>
  typedText(String(from.get(name) ?? '').replaceAll('\0', ''))

/** Reads a message from a form or, for its preview, from a query. */
export function readMessageDraft(from: FormData | URLSearchParams): MessageDraft {
  const field = (name: keyof MessageDraft) => readField(from, name).replaceAll('\r\n', '\n').trim()
  return {
    asunto: field('asunto'),
    texto: field('texto'),
    dia: field('dia'),
    hora: field('hora').slice(0, 5),
    lugar: field('lugar'),
  }
}

/** Builds an entry's address, which keeps the list's filter and may open a document by id, or the first document. */
export function entryAddress(id: number, filter: Omit<EntryFilter, 'edition'>, view?: number | 'primero'): string {
  const query = toParams(filter)
  const open = view === undefined ? '' : `${query ? '&' : '?'}ver=${view}`
  return `/organizadores/inscripciones/${id}${query}${open}`
}

/**
 * Builds the query that opens another document of the same entry and keeps the list's filter.
 * @param search the current query
 * @param id of the document; undefined closes the open document
 * @param showsReserved whether a reserved document opens without the confirmation
 */
export function viewSearch(search: string, id?: number, showsReserved = false): string {
  const params = new URLSearchParams(search)
  params.delete('ver')
  params.delete('mostrar')
  if (id !== undefined) params.set('ver', String(id))
  if (showsReserved) params.set('mostrar', 'si')
  return `?${params}`
}

/** Returns whether the last change can be undone: it led from another state to the current state. */
export const canUndo = (history: Entry['history'], state: EntryState): boolean =>
  history[0]?.a === state && history[0].de !== state

/** Skips the revalidation where only the open document changes, since the loader returned all documents. */
export function revalidateUnlessView(args: ShouldRevalidateFunctionArgs): boolean {
  const { currentUrl, nextUrl, formMethod } = args
  const rest = ({ pathname, search }: URL) => pathname + viewSearch(search)
  const isOnlyView = !formMethod && currentUrl.search !== nextUrl.search && rest(currentUrl) === rest(nextUrl)
  return !isOnlyView && revalidateAfterClash(args)
}

/** Writes a filter as a query, without its undefined parts and its ids; '' for an empty filter. */
export function toParams({ type, state, isOutsideAgeRange, text }: Omit<EntryFilter, 'edition'>): string {
  const params = new URLSearchParams()
  if (type) params.set('tipo', type)
  if (state) params.set('estado', state)
  if (isOutsideAgeRange) params.set('edad', 'fuera')
  if (text) params.set('buscar', text)
  const query = params.toString()
  return query && `?${query}`
}

/** Describes a filter for the audit log, with at most 40 ids and without the search text, which may be a person's name. */
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

/** Splits a notice of the panel after its first statement, which the closed line of the notices shows alone. */
export function splitNotice(text: string): { title: string; rest: string } {
  const end = text.search(/[:.] |\.$|, (?:y|a partir) /)
  return end < 0 ? { title: text, rest: '' } : { title: text.slice(0, end), rest: text.slice(end) }
}
