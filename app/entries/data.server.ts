// Longer than 350 lines: the list, its search and the reads of one entry are read together.
import { type Expression, type SqlBool, sql } from 'kysely'
import { listFinishedDeletions } from '#app/audit/data.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { typedText } from '#app/core/text/typed-text.ts'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import { SUGGESTED_MAX_AGE, SUGGESTED_MIN_AGE } from '#app/entries/definitions/candidate-fields.ts'
import { compareByKind, type DocumentKind, type VoterCardSide } from '#app/entries/definitions/document-kinds.ts'
import type { FormDescriptor } from '#app/entries/definitions/form.ts'
import { parseFolio } from './folio.ts'
import { type CheckedValues, toTsquery } from './rules.ts'
import {
  ENTRY_STATES,
  type Entry,
  type EntryCounts,
  type EntryFilter,
  type EntryListRow,
  type EntryState,
} from './schema.ts'
import { panelValues } from './shown-values.ts'

const PAGE_SIZE = 50

/** At most PAGE_SIZE entries, with the ids by which the pages before and after are read. */
export interface EntryListPage {
  rows: EntryListRow[]
  /** Id of the first entry shown; undefined on the first page. */
  newerThan: number | undefined
  /** Id of the last entry shown; undefined on the last page. */
  olderThan: number | undefined
}

/** The page after (`olderThan`) or before (`newerThan`) the entry with an id; the first page without an id. */
export interface ListPosition {
  olderThan?: number | undefined
  newerThan?: number | undefined
}

/** Leaves out entries from the moment when their deletion is recorded, even while it is being retried. */
export const isNotBeingDeleted = sql<SqlBool>`inscripciones.id <> all (array(select inscripcion_id from borrados))`

/** Matches a word beside a telephone number: its label, a conjunction of two numbers, or the mark of an extension. */
const PHONE_WORD = /^(?:[yox]|ext(?:ensi[oó]n)?|int|cel(?:ular)?|tel(?:[eé]fono)?|m[oó]vil|whats(?:app)?)[.:]*$/i

/**
 * Returns the condition that a search text sets: beginnings of words, or a telephone number in any spelling, alone or beside words.
 * @returns undefined if the text holds nothing to search for
 */
function textCondition(text: string): Expression<SqlBool> | undefined {
  const matchWords = (part: string) => {
    const tsquery = toTsquery(part)
    return tsquery === undefined ? undefined : sql<SqlBool>`busqueda @@ ${tsquery}::tsquery`
  }
  const typedWords = typedText(text).normalize('NFKC').split(/\s+/)
  const isPartOfNumber = (word: string) => !/\p{L}/u.test(word) || PHONE_WORD.test(word) || /^x\d{1,6}$/i.test(word)
  const numberText = typedWords.filter(isPartOfNumber).join(' ')
  const wholeMatch = matchWords(text)
  if (!/\p{Nd}/u.test(numberText)) return wholeMatch
  const numberMatch = sql<SqlBool>`telefonos_buscables(celular) @@ busca_telefono(${numberText})`
  const wordsMatch = matchWords(typedWords.filter((word) => !isPartOfNumber(word)).join(' '))
  const numberAndWordsMatch = wordsMatch ? sql<SqlBool>`(${numberMatch} and ${wordsMatch})` : numberMatch
  return wholeMatch ? sql<SqlBool>`(${wholeMatch} or ${numberAndWordsMatch})` : numberAndWordsMatch
}

/** Selects the first complete number of `celular`, with plus sign and country code; null if the typed text holds none. */
export const diallablePhone = sql<
  string | null
>`(select numero from unnest(telefonos_de(celular)) as t (numero) where numero like '+%' limit 1)`

/** Builds the query for the entries that match a filter, newest first; the caller adds the columns. */
export function entriesMatching(db: Database, { edition, type, state, isOutsideAgeRange, text, ids }: EntryFilter) {
  return db
    .selectFrom('inscripciones')
    .where((eb) => {
      const conditions: Expression<SqlBool>[] = [eb('inscripciones.edicion', '=', edition), isNotBeingDeleted]
      if (type) conditions.push(eb('inscripciones.tipo', '=', type))
      if (state) conditions.push(eb('inscripciones.estado', '=', state))
      if (isOutsideAgeRange)
        conditions.push(
          eb.or([eb('inscripciones.edad', '<', SUGGESTED_MIN_AGE), eb('inscripciones.edad', '>', SUGGESTED_MAX_AGE)]),
        )
      if (ids) conditions.push(eb('inscripciones.id', '=', eb.fn.any(sql<number[]>`${ids}::bigint[]`)))
      // A text that holds nothing to search for, such as punctuation alone, matches no entry.
      if (text !== undefined) conditions.push(textCondition(text) ?? sql<SqlBool>`false`)
      return eb.and(conditions)
    })
    .orderBy('inscripciones.created_at', 'desc')
    .orderBy('inscripciones.id', 'desc')
}

/** A search text with more hits counts as frequent. */
const MAX_RARE_HITS = 2_000

/**
 * Replaces a rare search text in a filter by the ids of its hits, since PostgreSQL cannot estimate how rare a prefix is, and would
 * scan the whole list for it. A frequent text stays in the filter: a scan of the newest entries soon finds hits. A filter with ids,
 * and a text that holds nothing to search for, stay, too.
 */
export async function resolveRareText(db: Database, filter: EntryFilter): Promise<EntryFilter> {
  const condition = filter.text === undefined || filter.ids ? undefined : textCondition(filter.text)
  if (condition === undefined) return filter
  const hits = await db
    .selectFrom('inscripciones')
    .select('id')
    .where('edicion', '=', filter.edition)
    .where(condition)
    .limit(MAX_RARE_HITS + 1)
    .execute()
  return hits.length > MAX_RARE_HITS ? filter : { ...filter, text: undefined, ids: hits.map(({ id }) => id) }
}

/** Reads one page of the list; the first page if the entry at the page's edge is gone, or if a newer page would not be full. */
export async function listEntries(
  db: Database,
  filter: EntryFilter,
  { olderThan, newerThan }: ListPosition = {},
): Promise<EntryListPage> {
  const resolvedFilter = await resolveRareText(db, filter)
  const query = entriesMatching(db, resolvedFilter)
    .select(['id', 'tipo', 'folio', 'titular', 'detalle', 'edad', 'estado', 'created_at'])
    .limit(PAGE_SIZE + 1)
  const [edge] =
    olderThan || newerThan
      ? await db
          .selectFrom('inscripciones')
          .select(['id', sql<string>`created_at::text`.as('at')])
          .where('id', '=', (olderThan ?? newerThan)!)
          .execute()
      : []
  const liesBeyondEdge = (sign: '<' | '>') =>
    sql<SqlBool>`(inscripciones.created_at, inscripciones.id) ${sql.raw(sign)} (${edge?.at}::timestamptz, ${edge?.id}::bigint)`
  if (edge && olderThan === undefined) {
    const newerRows = await query
      .where(liesBeyondEdge('>'))
      .clearOrderBy()
      .orderBy('inscripciones.created_at')
      .orderBy('inscripciones.id')
      .execute()
    if (newerRows.length < PAGE_SIZE) return listEntries(db, filter)
    const shownRows = newerRows.slice(0, PAGE_SIZE).reverse()
    return {
      rows: await toListRows(db, shownRows),
      newerThan: newerRows.length > PAGE_SIZE ? shownRows[0]!.id : undefined,
      olderThan: shownRows.at(-1)!.id,
    }
  }
  const rows = await (edge ? query.where(liesBeyondEdge('<')) : query).execute()
  const shownRows = rows.slice(0, PAGE_SIZE)
  return {
    rows: await toListRows(db, shownRows),
    newerThan: edge && shownRows[0]?.id,
    olderThan: rows.length > PAGE_SIZE ? shownRows.at(-1)!.id : undefined,
  }
}

/** Reads the chosen entries of a bulk action; entries deleted meanwhile are left out. */
export const listChosenEntries = (db: Database, edition: number, ids: number[]) =>
  entriesMatching(db, { edition, ids })
    .select(['id', 'tipo', 'folio', 'titular', 'detalle', 'estado', 'version'])
    .execute()

type StoredListRow = Omit<EntryListRow, 'missingDocumentCount' | 'receivedAt'> & { created_at: Date }

async function toListRows(db: Database, shownRows: StoredListRow[]): Promise<EntryListRow[]> {
  const missingCounts = await countMissingKinds(db, shownRows)
  return shownRows.map(({ created_at, ...row }) => ({
    ...row,
    missingDocumentCount: missingCounts.get(row.id) ?? 0,
    receivedAt: created_at,
  }))
}

/** Counts the requested kinds of document of entries in «falta documento»; entries without an open request are absent. */
async function countMissingKinds(db: Database, rows: { id: number; estado: EntryState }[]) {
  const ids = rows.filter(({ estado }) => estado === 'falta-documento').map(({ id }) => id)
  if (ids.length === 0) return new Map<number, number>()
  const openCounts = await db
    .selectFrom('solicitudes')
    .select((eb) => ['inscripcion_id', eb.fn.count<number>('clase').distinct().as('missing_count')])
    .where('inscripcion_id', 'in', ids)
    .where('cumplida_at', 'is', null)
    .where('retirada_at', 'is', null)
    .groupBy('inscripcion_id')
    .execute()
  return new Map(openCounts.map(({ inscripcion_id, missing_count }) => [inscripcion_id, missing_count]))
}

export async function countEntries(db: Database, edition: number): Promise<EntryCounts> {
  const countQuery = db
    .selectFrom('inscripciones')
    .select(({ fn }) => ['tipo', 'estado', fn.countAll<number>().as('count')])
    .where('edicion', '=', edition)
    .groupBy(['tipo', 'estado'])
  // An index-only scan counts all entries, and those being deleted are subtracted: a join over all takes three times as long.
  const [rows, deletedCounts] = await Promise.all([
    countQuery.execute(),
    countQuery.innerJoin('borrados', 'borrados.inscripcion_id', 'inscripciones.id').execute(),
  ])
  const zeroCounts = () => Object.fromEntries(ENTRY_STATES.map((state) => [state, 0])) as Record<EntryState, number>
  const counts: EntryCounts = { candidata: zeroCounts(), traje: zeroCounts() }
  for (const { tipo, estado, count } of rows) counts[tipo][estado] = count
  for (const { tipo, estado, count } of deletedCounts) counts[tipo][estado] -= count
  return counts
}

/** Reads an entry for the panel; undefined if the entry does not exist or is being deleted. */
export async function readEntry(db: Database, id: number): Promise<Entry | undefined> {
  const row = await db
    .selectFrom('inscripciones')
    .selectAll()
    .select(diallablePhone.as('telefono'))
    .where('id', '=', id)
    .where(isNotBeingDeleted)
    .executeTakeFirst()
  if (!row) return undefined
  const [formRow, documents, history, corrections, requests] = await Promise.all([
    readFormRow(db, FORMS[row.tipo], id),
    db.selectFrom('documentos').selectAll().where('inscripcion_id', '=', id).orderBy('id').execute(),
    db
      .selectFrom('cambios')
      .leftJoin('profiles', 'profiles.id', 'cambios.quien')
      .select(['cambios.id', 'at', 'de', 'a', 'nota', 'para_persona', 'quien', 'email'])
      .where('inscripcion_id', '=', id)
      .orderBy('cambios.id', 'desc')
      .execute(),
    db
      .selectFrom('correcciones')
      .leftJoin('profiles', 'profiles.id', 'correcciones.quien')
      .select(['correcciones.id', 'at', 'campo', 'antes', 'ahora', 'quien', 'email'])
      .where('inscripcion_id', '=', id)
      .orderBy('correcciones.id', 'desc')
      .execute(),
    db
      .selectFrom('solicitudes')
      .select(['id', 'clase', 'lado', 'nota', 'pedida_at'])
      .where('inscripcion_id', '=', id)
      .where('cumplida_at', 'is', null)
      .where('retirada_at', 'is', null)
      .orderBy('id')
      .execute(),
  ])
  const { edicion, tipo, folio, titular, detalle, edad, estado, version, correo, celular, telefono, created_at } = row
  return {
    id,
    edicion,
    tipo,
    folio,
    titular,
    detalle,
    edad,
    estado,
    version,
    correo,
    celular,
    telefono,
    receivedAt: created_at,
    fields: panelValues(FORMS[tipo], formRow.values),
    documents: documents
      .map((document) => ({
        id: document.id,
        clase: document.clase,
        lado: document.lado,
        fileName: document.nombre_archivo,
        contentType: document.content_type,
        byteCount: document.size_bytes,
        receivedAt: document.recibido_at,
        replacedAt: document.reemplazado_at,
      }))
      .sort(compareByKind),
    hasIdenticalVoterCardSides: areSameFile(
      documents.filter(({ clase, reemplazado_at }) => clase === 'credencialElector' && !reemplazado_at),
    ),
    history: history.map(({ email, quien, para_persona, ...change }) => ({
      ...change,
      isForEntrant: para_persona,
      author: email ?? quien,
    })),
    corrections: corrections.map(({ email, quien, ...correction }) => ({ ...correction, author: email ?? quien })),
    requests: requests.map(({ pedida_at, ...request }) => ({ ...request, requestedAt: pedida_at })),
  }
}

const areSameFile = ([front, back]: readonly { sha256: string }[]) =>
  front !== undefined && front.sha256 === back?.sha256

/** An entry's row in its form's own table. */
interface EntryFormRow {
  /** Id in the form's own table, not the entry's id; the folder's name begins with it. */
  id: number
  folder: string
  metadata_path: string
  values: CheckedValues
}

/** Reads an entry's row in its form's own table. @throws Error if there is no such row */
export async function readFormRow(db: Database, descriptor: FormDescriptor, entryId: number): Promise<EntryFormRow> {
  // Both tables have these columns; the form's field descriptors name the others.
  const row = await db
    .selectFrom(descriptor.table as 'registros')
    .selectAll()
    .where('inscripcion_id', '=', entryId)
    .executeTakeFirstOrThrow()
  const { id, carpeta, metadata_path } = row
  return {
    id,
    folder: carpeta,
    metadata_path,
    values: formValuesOf(descriptor, row as unknown as Record<string, unknown>),
  }
}

/** An accepted entry from which a candidate of the site can be made. */
export interface AcceptedEntry {
  edition: number
  values: CheckedValues
  /** Id of the candidate who was made from the entry, if any; the edition's list may not hold her any more. */
  candidateId: string | undefined
}

/**
 * Reads a candidate's accepted entry; undefined for any other entry, and for an entry that is being deleted.
 * @param forUpdate whether the entry's row is locked against changes and deletion until the caller's transaction ends
 */
export async function readAcceptedEntry(
  db: Database,
  id: number,
  { forUpdate = false } = {},
): Promise<AcceptedEntry | undefined> {
  const entryQuery = db
    .selectFrom('inscripciones')
    .select('edicion')
    .where('id', '=', id)
    .where('tipo', '=', 'candidata')
    .where('estado', '=', 'aceptada')
    .where(isNotBeingDeleted)
  const row = await (forUpdate ? entryQuery.forUpdate() : entryQuery).executeTakeFirst()
  if (!row) return undefined
  const linkRow = await db
    .selectFrom('candidatas_de_inscripciones')
    .select('candidata')
    .where('inscripcion_id', '=', id)
    .executeTakeFirst()
  const { values } = await readFormRow(db, FORMS.candidata, id)
  return { edition: row.edicion, values, candidateId: linkRow?.candidata }
}

/** Picks the form's values out of a row, in the order of the fields; null for an absent column. */
export const formValuesOf = ({ fields }: FormDescriptor, row: Readonly<Record<string, unknown>>): CheckedValues =>
  Object.fromEntries(fields.map(({ name }) => [name, row[name] ?? null])) as CheckedValues

/** A received document that no newer one has replaced. */
export interface CurrentDocument {
  clase: DocumentKind
  lado: VoterCardSide | null
  path: string
}

/** Lists an entry's current documents, the front of the voter card before its back. */
export async function listCurrentDocuments(db: Database, entryId: number): Promise<CurrentDocument[]> {
  return db
    .selectFrom('documentos')
    .select(['clase', 'lado', 'path'])
    .where('inscripcion_id', '=', entryId)
    .where('reemplazado_at', 'is', null)
    .orderBy('lado')
    .execute()
}

/** Lists the SHA-256 of every document of an entry, replaced ones included. */
export async function listChecksums(db: Database, entryId: number): Promise<string[]> {
  const rows = await db.selectFrom('documentos').select('sha256').where('inscripcion_id', '=', entryId).execute()
  return rows.map(({ sha256 }) => sha256)
}

export async function readFolioOf(db: Database, entryId: number): Promise<string | undefined> {
  const row = await db.selectFrom('inscripciones').select('folio').where('id', '=', entryId).executeTakeFirst()
  return row?.folio
}

/** Finds the id of the entry with a typed folio; undefined if there is none, or if it is being deleted. */
export async function findEntryIdByFolio(db: Database, folio: string): Promise<number | undefined> {
  const storedFolio = parseFolio(folio)
  if (storedFolio === undefined) return undefined
  const row = await db
    .selectFrom('inscripciones')
    .select('id')
    .where('folio', '=', storedFolio)
    .where(isNotBeingDeleted)
    .executeTakeFirst()
  return row?.id
}

interface Deletion {
  acknowledgementCode: string
  at: Date
  reason: 'solicitud' | 'plazo'
  /** The organiser's email; null for a deletion by the site or a command, or if the account is gone. */
  organiserEmail: string | null
  isDone: boolean
}

/** Lists deletions under way and, from the audit log, finished ones: the newest PAGE_SIZE of each. */
export async function listDeletions(db: Database): Promise<{ pending: Deletion[]; finished: Deletion[] }> {
  const [pendingDeletions, finishedDeletions] = await Promise.all([
    db
      .selectFrom('borrados')
      .leftJoin('profiles', 'profiles.id', 'borrados.quien')
      .select(['acuse', 'at', 'motivo', 'email'])
      .orderBy('at', 'desc')
      .limit(PAGE_SIZE)
      .execute(),
    listFinishedDeletions(db, PAGE_SIZE),
  ])
  return {
    pending: pendingDeletions.map(({ acuse, at, motivo, email }) => ({
      acknowledgementCode: acuse,
      at,
      reason: motivo,
      organiserEmail: email,
      isDone: false,
    })),
    finished: finishedDeletions.map((deletion) => ({ ...deletion, isDone: true })),
  }
}

/** Counts all deletions that have not ended, and reads when the oldest began; null without one. */
export const readPendingDeletions = (db: Database): Promise<{ count: number; oldestAt: Date | null }> =>
  db
    .selectFrom('borrados')
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min<Date | null>('at').as('oldestAt')])
    .executeTakeFirstOrThrow()
