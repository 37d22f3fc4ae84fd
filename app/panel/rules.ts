import type { ShouldRevalidateFunctionArgs } from 'react-router'
import { typedText } from '#app/core/text/typed-text.ts'
import { formatLongDateTime } from '#app/core/time/mexico-dates.ts'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import type { MessageDraft } from '#app/entries/letters/schema.ts'
import { parseEntryState } from '#app/entries/rules.ts'
import { type Entry, type EntryFilter, type EntryState, MAX_SEARCH_CHARACTERS } from '#app/entries/schema.ts'
import { isBeforeClosing, isBeforeOpening } from '#app/voting/election/rules.ts'

/** Maximum number of ids in a query, and of entries in one bulk action or message. */
export const MAX_SELECTED_ENTRIES = 500

/**
 * Reads the filter of entries from a query; ignores invalid parts, and ids beyond MAX_SELECTED_ENTRIES. With `todas` the ids
 * are ignored, too, since the whole filtered list is chosen.
 * @param edition year to which the filter is limited
 */
export function readFilter(params: URLSearchParams, edition: number): EntryFilter {
  const type = params.get('tipo')
  const text = typedText(params.get('buscar') ?? '').slice(0, MAX_SEARCH_CHARACTERS)
  const ids = params.getAll('id').map(Number).filter(isId).slice(0, MAX_SELECTED_ENTRIES)
  return {
    edition,
    type: Object.values(FORMS).find((form) => form.type === type)?.type,
    state: parseEntryState(params.get('estado')),
    isOutsideAgeRange: params.get('edad') === 'fuera' || undefined,
    text: text || undefined,
    ids: ids.length > 0 && params.get('todas') !== 'si' ? ids : undefined,
  }
}

/** Texts of each bulk action: its button, the verb of its question, and its result in singular and plural. */
export const BULK_ACTIONS = {
  aceptar: { buttonText: 'Aceptar las elegidas', verb: 'Aceptar', resultTexts: ['Se aceptó', 'Se aceptaron'] },
  rechazar: { buttonText: 'Rechazar las elegidas', verb: 'Rechazar', resultTexts: ['Se rechazó', 'Se rechazaron'] },
  borrar: { buttonText: 'Borrar las elegidas', verb: 'Borrar', resultTexts: ['Se borró', 'Se borraron'] },
} as const

export type BulkAction = keyof typeof BULK_ACTIONS

export const readBulkAction = (text: unknown): BulkAction | undefined =>
  typeof text === 'string' && Object.hasOwn(BULK_ACTIONS, text) ? (text as BulkAction) : undefined

const UNDO_RESULT_TEXTS = ['Volvió a como estaba', 'Volvieron a como estaban']

/**
 * Returns in Spanish how many entries a bulk action changed, and how many it left as they were.
 * @param action undefined for the undo
 * @param outcomes a reason says why the entry was left; a pending deletion is only begun
 */
export function bulkOutcomeInWords(
  action: BulkAction | undefined,
  outcomes: readonly { reason?: string; isPending?: boolean }[],
): string {
  if (outcomes.length === 0) return 'Ya no existía ninguna de las elegidas.'
  const unchangedCount = outcomes.filter(({ reason }) => reason !== undefined).length
  const pendingCount = outcomes.filter(({ isPending }) => isPending).length
  const changedCount = outcomes.length - unchangedCount - pendingCount
  const resultTexts = action ? BULK_ACTIONS[action].resultTexts : UNDO_RESULT_TEXTS
  const sentences = [
    changedCount > 0 && `${resultTexts[changedCount === 1 ? 0 : 1]} ${entryCountInWords(changedCount)}.`,
    pendingCount > 0 &&
      `${pendingCount === 1 ? 'Un borrado quedó empezado' : `${pendingCount} borrados quedaron empezados`}: algo falló a la mitad y el sitio ${pendingCount === 1 ? 'lo' : 'los'} termina por sí solo.`,
    unchangedCount > 0 &&
      `${unchangedCount === 1 ? 'Una quedó como estaba' : `${unchangedCount} quedaron como estaban`}: abajo dice por qué.`,
  ]
  return sentences.filter(Boolean).join(' ')
}

/** The state that a bulk action sets; a deletion sets none. */
export const BULK_ACTION_STATES = { aceptar: 'aceptada', rechazar: 'rechazada' } as const

/** Returns in Spanish how many chosen entries one action leaves out; undefined if it takes all. */
export const leftOutInWords = (leftOutCount: number): string | undefined =>
  leftOutCount === 0
    ? undefined
    : `A la vez caben ${MAX_SELECTED_ENTRIES}: ${leftOutCount === 1 ? 'queda fuera 1' : `quedan fuera ${leftOutCount.toLocaleString('es-MX')}`}, de las más antiguas. Hazlo otra vez con ésas.`

/**
 * Returns in Spanish how many mails of a message have left or wait, and how many people no mail reaches.
 * @param appointment day, hour and place in words, if the message made an appointment
 */
export function messageOutcomeInWords(
  sentCount: number,
  waitingCount: number,
  unreachedCount: number,
  appointment?: string,
): string {
  const mailedCount = sentCount + waitingCount
  const personCountInWords = (count: number) =>
    count === 1 ? '1 persona' : `${count.toLocaleString('es-MX')} personas`
  const phoneSentence = `A ${personCountInWords(unreachedCount)} díselo por teléfono: abajo está su número.`
  const appointmentSentence = appointment && `Listo: la cita quedó para ${appointment}.`
  if (mailedCount === 0)
    return `${appointmentSentence ?? 'Listo: quedó guardado.'} Por correo no le llega a nadie. ${phoneSentence}`
  return [
    appointmentSentence ? `${appointmentSentence} El mensaje` : 'Listo:',
    waitingCount > 0
      ? `va saliendo por correo a ${personCountInWords(mailedCount)}; ya salieron ${sentCount.toLocaleString('es-MX')}.`
      : `${appointmentSentence ? 'fue ' : ''}enviado por correo a ${personCountInWords(mailedCount)}.`,
    ...(unreachedCount > 0 ? [phoneSentence] : []),
  ].join(' ')
}

export const peopleInWords = (number: number): string => (number === 1 ? 'una persona' : `${number} personas`)

export const entryCountInWords = (number: number): string =>
  number === 1 ? 'una inscripción' : `${number.toLocaleString('es-MX')} inscripciones`

/** Reads the entries of a bulk form, such as `12:3` for version 3 of entry 12, up to MAX_SELECTED_ENTRIES; leaves out invalid texts. */
export const readSelectedEntries = (form: FormData): { id: number; version: number }[] =>
  form
    .getAll('id')
    .slice(0, MAX_SELECTED_ENTRIES)
    .map((text) => {
      const [id, version] = String(text).split(':').map(parseId)
      return { id: id ?? 0, version: version ?? 0 }
    })
    .filter(({ id, version }) => id > 0 && version > 0)

const isId = (id: number): boolean => Number.isSafeInteger(id) && id > 0

/** Reads a positive whole number, such as an id, from a URL or a form; 0 for anything else. */
export const parseId = (text: unknown): number => (isId(Number(text)) ? Number(text) : 0)

/** Reads a field of a form or a query, normalised and without NUL characters, which PostgreSQL rejects; '' if absent. */
export const readField = (source: FormData | URLSearchParams, name: string): string =>
  typedText(String(source.get(name) ?? '').replaceAll('\0', ''))

/** Reads a message from a form or, for its preview, from a query. */
export function readMessageDraft(source: FormData | URLSearchParams): MessageDraft {
  const fieldText = (name: keyof MessageDraft) => readField(source, name).replaceAll('\r\n', '\n').trim()
  return {
    asunto: fieldText('asunto'),
    texto: fieldText('texto'),
    dia: fieldText('dia'),
    hora: fieldText('hora').slice(0, 5),
    lugar: fieldText('lugar'),
  }
}

/** Builds an entry's URL with the inbox's filter. @param view id of the document to open, or `primero` (`useOpenDocument`) */
export function entryUrl(id: number, filter: Omit<EntryFilter, 'edition'>, view?: number | 'primero'): string {
  const query = filterQuery(filter)
  const viewParam = view === undefined ? '' : `${query ? '&' : '?'}ver=${view}`
  return `/organizadores/inscripciones/${id}${query}${viewParam}`
}

/**
 * Builds the query that opens another document of the same entry and keeps the inbox's filter.
 * @param search the current query
 * @param id of the document; undefined closes the open document
 * @param showsReserved whether a reserved document opens without the confirmation
 */
export function documentViewQuery(search: string, id?: number, showsReserved = false): string {
  const params = new URLSearchParams(search)
  params.delete('ver')
  params.delete('mostrar')
  if (id !== undefined) params.set('ver', String(id))
  if (showsReserved) params.set('mostrar', 'si')
  return `?${params}`
}

/** Returns whether the last state change can be undone, which must have led from another state to the current one. */
export const canUndo = (history: Entry['history'], state: EntryState): boolean =>
  history[0]?.a === state && history[0].de !== state

/** Skips the revalidation if only the open document changes, on which no loader depends; else as `revalidateAfterConflict`. */
export function revalidateUnlessDocumentView(args: ShouldRevalidateFunctionArgs): boolean {
  const { currentUrl, nextUrl, formMethod } = args
  const urlWithoutView = ({ pathname, search }: URL) => pathname + documentViewQuery(search)
  const isOnlyView =
    !formMethod && currentUrl.search !== nextUrl.search && urlWithoutView(currentUrl) === urlWithoutView(nextUrl)
  return !isOnlyView && revalidateAfterConflict(args)
}

/** Returns a filter as a query string, without its ids; '' for an empty filter. */
export function filterQuery({ type, state, isOutsideAgeRange, text }: Omit<EntryFilter, 'edition'>): string {
  const params = new URLSearchParams()
  if (type) params.set('tipo', type)
  if (state) params.set('estado', state)
  if (isOutsideAgeRange) params.set('edad', 'fuera')
  if (text) params.set('buscar', text)
  const query = params.toString()
  return query && `?${query}`
}

/** Returns a filter for the audit log, with at most 40 ids and without the search text, which may be a person's name. */
export const filterForAuditLog = ({ edition, type, state, isOutsideAgeRange, text, ids }: EntryFilter) => ({
  edicion: edition,
  elegidas: ids?.length,
  ids: ids?.slice(0, 40),
  tipo: type,
  estado: state,
  fueraDeEdad: isOutsideAgeRange,
  conBusqueda: text ? true : undefined,
})

/** Revalidates as the router would, and after a conflict (409), so that the organiser sees the other person's change. */
export const revalidateAfterConflict = ({ actionStatus, defaultShouldRevalidate }: ShouldRevalidateFunctionArgs) =>
  actionStatus === 409 || defaultShouldRevalidate

/** Revalidates as the router would, and after a full disk (507), before which some chosen entries may have been changed. */
export const revalidateAfterFullDisk = ({ actionStatus, defaultShouldRevalidate }: ShouldRevalidateFunctionArgs) =>
  actionStatus === 507 || defaultShouldRevalidate

/** Splits a notice into its first statement, which the closed line of notices shows alone, and the rest. */
export function splitNotice(text: string): { title: string; rest: string } {
  const end = text.search(/[:.] |\.$|, (?:y|a partir) /)
  return end < 0 ? { title: text, rest: '' } : { title: text.slice(0, end), rest: text.slice(end) }
}

/** Says whether the vote is open. As on the vote's own screen, it is not before there are candidates. */
export function votePeriodInWords(
  { hasCandidates, opening, closing }: { hasCandidates: boolean; opening: string | undefined; closing: string },
  now: Date,
): string {
  if (!isBeforeClosing(closing, now)) return 'Ya cerró.'
  if (opening && isBeforeOpening(opening, now)) return `Abre el ${formatLongDateTime(new Date(opening))}`
  return hasCandidates ? 'Está abierta ahora.' : 'Empieza cuando se anuncien las candidatas.'
}
