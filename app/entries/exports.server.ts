import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { makeZip } from 'client-zip'
import { sql } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { csvLine, type TableCell } from '#app/core/text/csv.ts'
import { buildXlsxFiles } from '#app/core/text/xlsx.ts'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import { compareByKind, documentName, type EntryType, kindOf } from '#app/entries/definitions/document-kinds.ts'
import {
  type DocumentFile,
  extensionOf,
  listDocumentFiles,
  prepareDownload,
  VIEWING_MESSAGES,
} from '#app/entries/document-viewing/viewing.server.ts'
import { entriesMatching, formValuesOf } from './data.server.ts'
import type { CheckedValues } from './rules.ts'
import { ENTRY_STATE_NAMES, ENTRY_TYPE_NAMES, type EntryFilter, type EntryState } from './schema.ts'
import { DATA_COLUMNS, type DataColumn, dataColumnsOf } from './shown-values.ts'

/** Entries per query. */
const BATCH_SIZE = 500
/** Entries per query of a ZIP export. They are fewer, since a second query lists all documents of the batch. */
const ZIP_BATCH_SIZE = 20

/** Builds the query for the entries that match a filter, each with the row of its form's table as JSON. */
const fullEntries = (db: Database, filter: EntryFilter) =>
  entriesMatching(db, filter)
    .leftJoin('registros', 'registros.inscripcion_id', 'inscripciones.id')
    .leftJoin('trajes_tipicos', 'trajes_tipicos.inscripcion_id', 'inscripciones.id')
    .select([
      'inscripciones.id',
      'inscripciones.tipo',
      'folio',
      'titular',
      'detalle',
      'estado',
      'inscripciones.created_at',
      sql<Record<string, unknown>>`coalesce(to_jsonb(registros), to_jsonb(trajes_tipicos), '{}')`.as('form_row'),
      // The moment is read as text, since a Date loses PostgreSQL's microseconds and the next batch would skip entries.
      sql<string>`inscripciones.created_at::text`.as('cursor'),
    ])

export interface FullEntry {
  id: number
  tipo: EntryType
  folio: string
  titular: string
  detalle: string | null
  estado: EntryState
  created_at: Date
  values: CheckedValues
}

/**
 * Yields the entries that match a filter, newest first, a batch at a time (keyset pagination). Each batch is a query of its own, so
 * an entry that arrives or changes meanwhile may be left out.
 */
export async function* readEntryBatches(
  db: Database,
  filter: EntryFilter,
  batchSize = BATCH_SIZE,
): AsyncGenerator<FullEntry[]> {
  let lastRow: { cursor: string; id: number } | undefined
  for (;;) {
    let query = fullEntries(db, filter).limit(batchSize)
    if (lastRow) {
      const { cursor, id } = lastRow
      query = query.where(
        sql<boolean>`(inscripciones.created_at, inscripciones.id) < (${cursor}::timestamptz, ${id}::bigint)`,
      )
    }
    const rows = await query.execute()
    if (rows.length > 0)
      yield rows.map(({ form_row, cursor: _, ...row }) => ({ ...row, values: formValuesOf(FORMS[row.tipo], form_row) }))
    if (rows.length < batchSize) return
    lastRow = rows.at(-1)!
  }
}

interface ExportedEntry extends FullEntry {
  /** Names of the documents that the folio's page asks for, joined by commas. */
  missingDocuments: string
  /** The latest state change, with the organiser's email if there is one; undefined before the first change. */
  decision: { at: Date; author: string | null } | undefined
}

interface ExportColumn {
  title: string
  /** In characters. */
  width: number
  value(entry: ExportedEntry): TableCell
}

const toExportColumn = (column: DataColumn): ExportColumn => ({
  ...column,
  value: ({ tipo, values }) => column.value(tipo, values),
})

const TYPE_COLUMN: ExportColumn = { title: 'Tipo', width: 13, value: ({ tipo }) => ENTRY_TYPE_NAMES[tipo] }
const REVIEW_COLUMNS: ExportColumn[] = [
  { title: 'Estado', width: 16, value: ({ estado }) => ENTRY_STATE_NAMES[estado] },
  { title: 'Le falta', width: 30, value: ({ missingDocuments }) => missingDocuments },
  { title: 'Decidida', width: 17, value: ({ decision }) => decision?.at ?? null },
  { title: 'La decidió', width: 26, value: ({ decision }) => decision?.author ?? null },
  { title: 'Recibida', width: 17, value: ({ created_at }) => created_at },
]
const FOLIO_COLUMN: ExportColumn = { title: 'Folio', width: 17, value: ({ folio }) => folio }

const CSV_COLUMNS = [FOLIO_COLUMN, TYPE_COLUMN, ...REVIEW_COLUMNS, ...DATA_COLUMNS.map(toExportColumn)]

async function* tableRows(
  db: Database,
  filter: EntryFilter,
  columns: readonly ExportColumn[],
): AsyncGenerator<TableCell[]> {
  yield columns.map(({ title }) => title)
  for await (const entries of readEntryBatches(db, filter))
    for (const entry of await withReview(db, entries)) yield columns.map(({ value }) => value(entry))
}

async function withReview(db: Database, entries: FullEntry[]): Promise<ExportedEntry[]> {
  const ids = entries.map(({ id }) => id)
  if (ids.length === 0) return []
  const [requests, changes] = await Promise.all([
    db
      .selectFrom('solicitudes')
      .select(['inscripcion_id', 'clase', 'lado'])
      .where('inscripcion_id', 'in', ids)
      .where('cumplida_at', 'is', null)
      .where('retirada_at', 'is', null)
      .orderBy('id')
      .execute(),
    db
      .selectFrom('cambios')
      .leftJoin('profiles', 'profiles.id', 'cambios.quien')
      .distinctOn('inscripcion_id')
      .select(['inscripcion_id', 'at', 'email as author'])
      .where('inscripcion_id', 'in', ids)
      .orderBy('inscripcion_id')
      .orderBy('cambios.id', 'desc')
      .execute(),
  ])
  const changesByEntry = new Map(changes.map((change) => [change.inscripcion_id, change]))
  const requestsByEntry = Map.groupBy(requests, ({ inscripcion_id }) => inscripcion_id)
  return entries.map((entry) => ({
    ...entry,
    missingDocuments: (requestsByEntry.get(entry.id) ?? [])
      .map(({ clase, lado }) => documentName(clase, lado))
      .join(', '),
    decision: changesByEntry.get(entry.id),
  }))
}

/** Exports the list as CSV, in UTF-8 with a byte order mark so that spreadsheets read the accents. */
export function exportCsv({ db }: Pick<Services, 'db'>, filter: EntryFilter): ReadableStream<Uint8Array> {
  async function* csvLines() {
    yield '\ufeff'
    for await (const values of tableRows(db, filter, CSV_COLUMNS)) yield csvLine(values)
  }
  return Readable.toWeb(
    Readable.from(joinLines(csvLines())).map((text: string) => Buffer.from(text)),
  ) as ReadableStream<Uint8Array>
}

/** Exports the list as a workbook with a sheet for each form that the filter admits; a sheet has only its form's fields. */
export function exportXlsx({ db }: Pick<Services, 'db'>, filter: EntryFilter): ReadableStream<Uint8Array> {
  const sheets = (['candidata', 'traje'] as const)
    .filter((type) => !filter.type || filter.type === type)
    .map((type) => {
      const columns = [FOLIO_COLUMN, ...REVIEW_COLUMNS, ...dataColumnsOf(type).map(toExportColumn)]
      return {
        name: SHEET_NAMES[type],
        widths: columns.map(({ width }) => width),
        rows: tableRows(db, { ...filter, type }, columns),
      }
    })
  return makeZip(
    buildXlsxFiles(sheets).map(({ name, input }) => ({
      name,
      input: typeof input === 'string' ? input : joinLines(input),
    })),
  )
}

const SHEET_NAMES: Readonly<Record<EntryType, string>> = { candidata: 'Candidatas', traje: 'Trajes típicos' }

/** Joins lines into texts of about 64 Ki characters, since each piece has a fixed cost in every stream. */
async function* joinLines(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let text = ''
  for await (const line of lines) {
    text += line
    if (text.length < 64 * 1024) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}

/**
 * Exports the current documents of the entries as a ZIP, in one folder per entry, with a table of contents at the end. The table
 * lists each document with its file, and says why a file is missing or damaged. Files are streamed; only a document that gets the
 * watermark is held in memory.
 * @param includesReserved whether reserved documents (the photographs in swimsuit) are included
 */
export function exportZip(
  services: Pick<Services, 'db' | 'storage'>,
  filter: EntryFilter,
  includesReserved = false,
): ReadableStream<Uint8Array> {
  const { db, storage } = services
  async function* zipFiles() {
    const contentLines = [
      csvLine(['Folio', 'Nombre', 'Documento', 'Archivo', 'Bytes recibidos', 'SHA-256 de lo recibido', 'Está']),
    ]
    for await (const entries of readEntryBatches(db, filter, ZIP_BATCH_SIZE)) {
      const files = await listDocumentFiles(
        db,
        entries.map(({ id }) => id),
      )
      for (const entry of entries) {
        const filesOfEntry = files.filter(({ entryId }) => entryId === entry.id)
        filesOfEntry.sort(compareByKind)
        for (const [index, file] of filesOfEntry.entries()) {
          const documentLabel = documentName(file.clase, file.lado)
          const basePath = `${entry.folio} ${asciiName(entry.titular)}/${index + 1} ${asciiName(documentLabel)}`
          const addContentLine = (name: string, status: string) =>
            contentLines.push(
              csvLine([entry.folio, entry.titular, documentLabel, name, file.byteCount, file.sha256, status]),
            )
          if (kindOf(file.clase).isReserved && !includesReserved) {
            addContentLine('', 'No: se exporta sólo con la casilla «Con fotos de cuerpo completo»')
            continue
          }
          if (kindOf(file.clase).isIdentity) {
            const download = await prepareDownload(services, file)
            if (!download.ok) {
              addContentLine('', `No: ${VIEWING_MESSAGES[download.reason]}`)
              continue
            }
            const name = `${basePath}.${download.extension}`
            yield { name, input: download.body, lastModified: entry.created_at }
            addContentLine(name, 'Sí, con la marca «solo para este certamen»')
            continue
          }
          const body = await storage.get(file.bucket, file.path)
          if (!body) {
            addContentLine('', `No: ${VIEWING_MESSAGES.perdido}`)
            continue
          }
          const name = `${basePath}.${extensionOf(file.contentType)}`
          const reading = { isIntact: false }
          try {
            yield { name, input: verifyWhileReading(body, file, reading), lastModified: entry.created_at }
          } finally {
            // The storage's stream is also closed when the client aborts the export.
            body.destroy()
          }
          addContentLine(name, reading.isIntact ? 'Sí' : `Dañado: ${VIEWING_MESSAGES.danado}`)
        }
      }
    }
    yield { name: 'contenido.csv', input: `\ufeff${contentLines.join('')}`, lastModified: new Date() }
  }
  return makeZip(zipFiles())
}

/** Passes the bytes through; sets `reading.isIntact` at the end if their SHA-256 is the recorded one. */
async function* verifyWhileReading(body: Readable, { sha256 }: DocumentFile, reading: { isIntact: boolean }) {
  const hash = createHash('sha256')
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    hash.update(chunk)
    yield chunk
  }
  reading.isIntact = hash.digest('hex') === sha256
}

/**
 * Reduces a name to at most 60 ASCII characters, since not every program reads file names in a ZIP as UTF-8. If none is left, the
 * name is `sin nombre`.
 */
const asciiName = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/[^A-Za-z0-9 _-]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 60) || 'sin nombre'
