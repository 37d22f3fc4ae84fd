// Longer than 350 lines: it holds every read of entries but those of neighbours.server.ts and likely-duplicates.server.ts.
import { type Expression, type SqlBool, sql } from 'kysely'
import { listFinishedDeletions } from '#app/audit/data.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { typedText } from '#app/core/text/typed-text.ts'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import { SUGGESTED_MAX_AGE, SUGGESTED_MIN_AGE } from '#app/entries/definitions/candidate-fields.ts'
import { compareByKind, type DocumentKind, type VoterCardSide } from '#app/entries/definitions/document-kinds.ts'
import type { FormDescriptor } from '#app/entries/definitions/form.ts'
import { readFolio } from './folio.ts'
import { type Data, toTsquery } from './rules.ts'
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

/** An EntryListPage holds at most PAGE_SIZE entries, and the ids by which the pages before and after it are read. */
export interface EntryListPage {
  rows: EntryListRow[]
  /** Id of the first entry shown if there are newer entries, else undefined. */
  newerThan: number | undefined
  /** Id of the last entry shown if there are older entries, else undefined. */
  olderThan: number | undefined
}

/** A Position names the page after or before the entry with that id; without an id it names the first page. */
export interface Position {
  olderThan?: number | undefined
  newerThan?: number | undefined
}

/** Leaves out entries from the moment when their deletion is recorded, even while it is being retried. */
export const isNotBeingDeleted = sql<SqlBool>`inscripciones.id <> all (array(select inscripcion_id from borrados))`

/** Matches a word that belongs to a telephone number: its label, a conjunction of two numbers, or the mark of an extension. */
const BESIDE_NUMBER = /^(?:[yox]|ext(?:ensi[oó]n)?|int|cel(?:ular)?|tel(?:[eé]fono)?|m[oó]vil|whats(?:app)?)[.:]*$/i

/**
 * Finds entries by a typed text: by beginnings of words, or by a telephone in any spelling, alone or beside words.
 * @returns undefined when the text holds nothing to search for
 */
function matchesText(text: string): Expression<SqlBool> | undefined {
  const matchWords = (part: string) => {
    const tsquery = toTsquery(part)
    return tsquery === undefined ? undefined : sql<SqlBool>`busqueda @@ ${tsquery}::tsquery`
  }
  const typedWords = typedText(text).normalize('NFKC').split(/\s+/)
  const isOfNumber = (word: string) => !/\p{L}/u.test(word) || BESIDE_NUMBER.test(word) || /^x\d{1,6}$/i.test(word)
  const numberText = typedWords.filter(isOfNumber).join(' ')
  const wholeMatch = matchWords(text)
  if (!/\p{Nd}/u.test(numberText)) return wholeMatch
  const byNumber = sql<SqlBool>`telefonos_buscables(celular) @@ busca_telefono(${numberText})`
  const wordsMatch = matchWords(typedWords.filter((word) => !isOfNumber(word)).join(' '))
  const numberAndWords = wordsMatch ? sql<SqlBool>`(${byNumber} and ${wordsMatch})` : byNumber
  return wholeMatch ? sql<SqlBool>`(${wholeMatch} or ${numberAndWords})` : numberAndWords
}

/** Selects the first complete number of `celular`, with plus sign and country code; null when the typed text holds none. */
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
      // A text in which there is nothing to search for, such as punctuation alone, matches no entry.
      if (text !== undefined) conditions.push(matchesText(text) ?? sql<SqlBool>`false`)
      return eb.and(conditions)
    })
    .orderBy('inscripciones.created_at', 'desc')
    .orderBy('inscripciones.id', 'desc')
}

const MAX_HITS = 2_000

/**
 * Replaces a rare search text in a filter by the ids of its hits; a text with more than MAX_HITS stays in the filter, and a
 * scan of the newest entries finds it soon. PostgreSQL cannot estimate how rare a prefix is, and would scan the whole list
 * for a word without hits.
 */
export async function resolveRareText(db: Database, filter: EntryFilter): Promise<EntryFilter> {
  const matches = filter.text === undefined || filter.ids ? undefined : matchesText(filter.text)
  if (matches === undefined) return filter
  const hits = await db
    .selectFrom('inscripciones')
    .select('id')
    .where('edicion', '=', filter.edition)
    .where(matches)
    .limit(MAX_HITS + 1)
    .execute()
  return hits.length > MAX_HITS ? filter : { ...filter, text: undefined, ids: hits.map(({ id }) => id) }
}

/** Reads one page of the list; the first page where the entry at the page's edge has no row any more. */
export async function listEntries(
  db: Database,
  filter: EntryFilter,
  { olderThan, newerThan }: Position = {},
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
  const wordsMatch = (sign: '<' | '>') =>
    sql<SqlBool>`(inscripciones.created_at, inscripciones.id) ${sql.raw(sign)} (${edge?.at}::timestamptz, ${edge?.id}::bigint)`
  if (edge && olderThan === undefined) {
    const newer = await query
      .where(wordsMatch('>'))
      .clearOrderBy()
      .orderBy('inscripciones.created_at')
      .orderBy('inscripciones.id')
      .execute()
    // Where fewer entries are newer than a page holds, the first page follows, which is always filled.
    if (newer.length < PAGE_SIZE) return listEntries(db, filter)
    const shownRows = newer.slice(0, PAGE_SIZE).reverse()
    return {
      rows: await toRows(db, shownRows),
      newerThan: newer.length > PAGE_SIZE ? shownRows[0]!.id : undefined,
      olderThan: shownRows.at(-1)!.id,
    }
  }
  const rows = await (edge ? query.where(wordsMatch('<')) : query).execute()
  const shownRows = rows.slice(0, PAGE_SIZE)
  return {
    rows: await toRows(db, shownRows),
    newerThan: edge && shownRows[0]?.id,
    olderThan: rows.length > PAGE_SIZE ? shownRows.at(-1)!.id : undefined,
  }
}

/** Reads the chosen entries for the confirmation of a bulk action; entries deleted meanwhile are left out. */
export const listChosenEntries = (db: Database, edition: number, ids: number[]) =>
  entriesMatching(db, { edition, ids })
    .select(['id', 'tipo', 'folio', 'titular', 'detalle', 'estado', 'version'])
    .execute()

type ListRow = Omit<EntryListRow, 'missingDocumentCount' | 'receivedAt'> & { created_at: Date }

async function toRows(db: Database, shownRows: ListRow[]): Promise<EntryListRow[]> {
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
  // An index-only scan counts all, then the entries being deleted are subtracted: one join over all takes three times as long.
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

/** Reads one entry with everything that the panel shows of it; undefined when it does not exist or is being deleted. */
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
    fields: panelValues(FORMS[tipo], formRow.data),
    documents: documents
      .map((one) => ({
        id: one.id,
        clase: one.clase,
        lado: one.lado,
        fileName: one.nombre_archivo,
        contentType: one.content_type,
        bytes: one.size_bytes,
        receivedAt: one.recibido_at,
        replacedAt: one.reemplazado_at,
      }))
      .sort(compareByKind),
    isVoterCardRepeated: areSameFile(
      documents.filter((one) => one.clase === 'credencialElector' && !one.reemplazado_at),
    ),
    history: history.map(({ email, quien, para_persona, ...one }) => ({
      ...one,
      isForEntrant: para_persona,
      author: email ?? quien,
    })),
    corrections: corrections.map(({ email, quien, ...one }) => ({ ...one, author: email ?? quien })),
    requests: requests.map(({ pedida_at, ...one }) => ({ ...one, requestedAt: pedida_at })),
  }
}

const areSameFile = ([one, other]: readonly { sha256: string }[]) => one !== undefined && one.sha256 === other?.sha256

/** An EntryFormRow is an entry's row in its form's own table. */
interface EntryFormRow {
  /** The id in the form's own table, not the entry's id; the folder's name begins with it. */
  id: number
  folder: string
  metadata_path: string
  data: Data
}

/** Reads an entry's row in its form's table, with the values under the keys of §3. @throws Error when there is no such row */
export async function readFormRow(db: Database, descriptor: FormDescriptor, entry: number): Promise<EntryFormRow> {
  // Both tables have these columns; the form's field descriptors name the others.
  const row = await db
    .selectFrom(descriptor.table as 'registros')
    .selectAll()
    .where('inscripcion_id', '=', entry)
    .executeTakeFirstOrThrow()
  const { id, carpeta, metadata_path } = row
  return { id, folder: carpeta, metadata_path, data: dataOf(descriptor, row as unknown as Record<string, unknown>) }
}

/** An AcceptedEntry is a candidate's accepted entry, from which a candidate of the site can be made. */
export interface AcceptedEntry {
  edition: number
  data: Data
  /** The id of the candidate made from this entry, or undefined; the edition's list may not hold her any more. */
  candidateId: string | undefined
}

/**
 * Reads a candidate's accepted entry; undefined for any other entry and for one that is being deleted.
 * @param lock locks the entry's row against changes and deletion until the caller's transaction ends
 */
export async function readAcceptedEntry(db: Database, id: number, lock?: 'held'): Promise<AcceptedEntry | undefined> {
  const entryQuery = db
    .selectFrom('inscripciones')
    .select('edicion')
    .where('id', '=', id)
    .where('tipo', '=', 'candidata')
    .where('estado', '=', 'aceptada')
    .where(isNotBeingDeleted)
  const row = await (lock ? entryQuery.forUpdate() : entryQuery).executeTakeFirst()
  if (!row) return undefined
  const link = await db
    .selectFrom('candidatas_de_inscripciones')
    .select('candidata')
    .where('inscripcion_id', '=', id)
    .executeTakeFirst()
  const { data } = await readFormRow(db, FORMS.candidata, id)
  return { edition: row.edicion, data, candidateId: link?.candidata }
}

/** Picks the form's values out of a row, in the order of the fields; null where a column is absent. */
export const dataOf = ({ fields }: FormDescriptor, row: Readonly<Record<string, unknown>>): Data =>
  Object.fromEntries(fields.map(({ name }) => [name, row[name] ?? null])) as Data

/** No newer document has replaced a CurrentDocument. */
export interface CurrentDocument {
  clase: DocumentKind
  lado: VoterCardSide | null
  path: string
}

/** Lists an entry's current documents, the front of the voter card before its back. */
export async function listCurrentDocuments(db: Database, entry: number): Promise<CurrentDocument[]> {
  return db
    .selectFrom('documentos')
    .select(['clase', 'lado', 'path'])
    .where('inscripcion_id', '=', entry)
    .where('reemplazado_at', 'is', null)
    .orderBy('lado')
    .execute()
}

/** Lists the SHA-256 of every document of an entry, replaced ones included. */
export async function listChecksums(db: Database, entry: number): Promise<string[]> {
  const rows = await db.selectFrom('documentos').select('sha256').where('inscripcion_id', '=', entry).execute()
  return rows.map(({ sha256 }) => sha256)
}

/** Reads the folio of an entry; undefined once the entry's row is gone. */
export async function readFolioOf(db: Database, entry: number): Promise<string | undefined> {
  const row = await db.selectFrom('inscripciones').select('folio').where('id', '=', entry).executeTakeFirst()
  return row?.folio
}

/** Finds the id of the entry with a typed folio; undefined when there is none, or when it is being deleted. */
export async function findFolio(db: Database, folio: string): Promise<number | undefined> {
  const storedFolio = readFolio(folio)
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
  /** The organiser's email; null for a deletion by the site itself, or where the account is gone. */
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
    finished: finishedDeletions.map((one) => ({ ...one, isDone: true })),
  }
}
