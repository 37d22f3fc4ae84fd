import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { makeZip } from 'client-zip'
import { sql } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { type Cell, csvLine } from '#app/core/text/csv.ts'
import { xlsxFiles } from '#app/core/text/xlsx.ts'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import { compareByKind, documentName, type EntryType, kindOf } from '#app/entries/definitions/document-kinds.ts'
import {
  type DocumentFile,
  downloadFile,
  extensionOf,
  listFiles,
  VIEWING_MESSAGES,
} from '#app/entries/document-viewing/viewing.server.ts'
import { dataOf, entriesMatching } from './data.server.ts'
import type { Data } from './rules.ts'
import { ENTRY_STATE_NAMES, ENTRY_TYPE_NAMES, type EntryFilter, type EntryState } from './schema.ts'
import { type Column, DATA_COLUMNS, dataColumnsOf } from './shown-values.ts'

const BATCH = 500
/** A ZIP export reads fewer entries per query, since each brings its documents along. */
const ZIP_BATCH = 20

/** Builds the query for the entries of a filter, each with the row of its form's table as JSON. */
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
      sql<Record<string, unknown>>`coalesce(to_jsonb(registros), to_jsonb(trajes_tipicos), '{}')`.as('fila'),
      // The moment is read as text, since a Date loses PostgreSQL's microseconds and the next batch would repeat entries.
      sql<string>`inscripciones.created_at::text`.as('cursor'),
    ])

/** A FullEntry is an entry with all values of its form. */
export interface FullEntry {
  id: number
  tipo: EntryType
  folio: string
  titular: string
  detalle: string | null
  estado: EntryState
  created_at: Date
  data: Data
}

/**
 * Yields every entry that matches a filter, newest first, a batch at a time (keyset pagination). Entries that arrive during
 * the export sort before its start and are not included.
 */
export async function* inBatches(db: Database, filter: EntryFilter, size = BATCH): AsyncGenerator<FullEntry[]> {
  let last: { cursor: string; id: number } | undefined
  for (;;) {
    let query = fullEntries(db, filter).limit(size)
    if (last) {
      const { cursor, id } = last
      query = query.where(
        sql<boolean>`(inscripciones.created_at, inscripciones.id) < (${cursor}::timestamptz, ${id}::bigint)`,
      )
    }
    const rows = await query.execute()
    if (rows.length > 0)
      yield rows.map(({ fila: values, cursor: _, ...row }) => ({ ...row, data: dataOf(FORMS[row.tipo], values) }))
    if (rows.length < size) return
    last = rows.at(-1)!
  }
}

/** An ExportedEntry also tells what its folio's page asks for, and who brought the entry to its state. */
interface ExportedEntry extends FullEntry {
  missingDocuments: string
  decision: { at: Date; author: string | null } | undefined
}

interface ExportColumn {
  title: string
  width: number
  value(entry: ExportedEntry): Cell
}

const toExportColumn = (column: Column): ExportColumn => ({
  ...column,
  value: ({ tipo, data }) => column.value(tipo, data),
})

const TYPE_COLUMN: ExportColumn = { title: 'Tipo', width: 13, value: ({ tipo }) => ENTRY_TYPE_NAMES[tipo] }
const FIRST_COLUMNS: ExportColumn[] = [
  { title: 'Estado', width: 16, value: ({ estado }) => ENTRY_STATE_NAMES[estado] },
  { title: 'Le falta', width: 30, value: ({ missingDocuments }) => missingDocuments },
  { title: 'Decidida', width: 17, value: ({ decision }) => decision?.at ?? null },
  { title: 'La decidió', width: 26, value: ({ decision }) => decision?.author ?? null },
  { title: 'Recibida', width: 17, value: ({ created_at }) => created_at },
]
const FOLIO_COLUMN: ExportColumn = { title: 'Folio', width: 17, value: ({ folio }) => folio }

const CSV_COLUMNS = [FOLIO_COLUMN, TYPE_COLUMN, ...FIRST_COLUMNS, ...DATA_COLUMNS.map(toExportColumn)]

async function* rowsOf(db: Database, filter: EntryFilter, columns: readonly ExportColumn[]): AsyncGenerator<Cell[]> {
  yield columns.map(({ title }) => title)
  for await (const rows of inBatches(db, filter))
    for (const row of await withReview(db, rows)) yield columns.map(({ value }) => value(row))
}

/** Adds to entries the documents that are asked for, and the change that brought each entry to its state. */
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
  async function* lines() {
    yield '\ufeff'
    for await (const values of rowsOf(db, filter, CSV_COLUMNS)) yield csvLine(values)
  }
  return Readable.toWeb(
    Readable.from(joinChunks(lines())).map((text: string) => Buffer.from(text)),
  ) as ReadableStream<Uint8Array>
}

/** Exports the list as a workbook with a sheet for each form, whose fields are its columns. */
export function exportXlsx({ db }: Pick<Services, 'db'>, filter: EntryFilter): ReadableStream<Uint8Array> {
  const sheets = (['candidata', 'traje'] as const)
    .filter((type) => !filter.type || filter.type === type)
    .map((type) => {
      const columns = [FOLIO_COLUMN, ...FIRST_COLUMNS, ...dataColumnsOf(type).map(toExportColumn)]
      return {
        name: SHEET_NAMES[type],
        widths: columns.map(({ width }) => width),
        rows: rowsOf(db, { ...filter, type }, columns),
      }
    })
  return makeZip(
    xlsxFiles(sheets).map(({ name, input }) => ({
      name,
      input: typeof input === 'string' ? input : joinChunks(input),
    })),
  )
}

const SHEET_NAMES: Readonly<Record<EntryType, string>> = { candidata: 'Candidatas', traje: 'Trajes típicos' }

/** Joins lines into chunks of some 64 K characters, since each chunk has a fixed cost in every stream. */
async function* joinChunks(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let chunk = ''
  for await (const line of lines) {
    chunk += line
    if (chunk.length < 64 * 1024) continue
    yield chunk
    chunk = ''
  }
  if (chunk !== '') yield chunk
}

/**
 * Exports every document of the entries, one folder per entry, and last a sheet that lists each document with its file, or with
 * the reason why the file is missing. Files are streamed; only a document that gets the watermark is held in memory.
 * @param hasReserved whether reserved documents (the photographs in swimsuit) are included
 */
export function exportZip(
  services: Pick<Services, 'db' | 'storage'>,
  filter: EntryFilter,
  hasReserved = false,
): ReadableStream<Uint8Array> {
  const { db, storage } = services
  async function* files() {
    const sheet = [
      csvLine(['Folio', 'Nombre', 'Documento', 'Archivo', 'Bytes recibidos', 'SHA-256 de lo recibido', 'Está']),
    ]
    for await (const rows of inBatches(db, filter, ZIP_BATCH)) {
      const files = await listFiles(
        db,
        rows.map(({ id }) => id),
      )
      for (const row of rows) {
        const ownFiles = files.filter(({ entryId }) => entryId === row.id)
        ownFiles.sort(compareByKind)
        for (const [at, file] of ownFiles.entries()) {
          const document = documentName(file.clase, file.lado)
          const base = `${row.folio} ${asciiName(row.titular)}/${at + 1} ${asciiName(document)}`
          const addSheetLine = (name: string, is: string) =>
            sheet.push(csvLine([row.folio, row.titular, document, name, file.bytes, file.sha256, is]))
          if (kindOf(file.clase).isReserved && !hasReserved) {
            addSheetLine('', 'No: se exporta sólo con la casilla «Con fotos de cuerpo completo»')
            continue
          }
          if (kindOf(file.clase).isIdentity) {
            const found = await downloadFile(services, file)
            if (!found.ok) {
              addSheetLine('', `No: ${VIEWING_MESSAGES[found.reason]}`)
              continue
            }
            const name = `${base}.${found.extension}`
            yield { name, input: found.body, lastModified: row.created_at }
            addSheetLine(name, 'Sí, con la marca «solo para este certamen»')
            continue
          }
          const body = await storage.get(file.bucket, file.path)
          if (!body) {
            addSheetLine('', `No: ${VIEWING_MESSAGES.perdido}`)
            continue
          }
          const name = `${base}.${extensionOf(file.contentType)}`
          const reading = { whole: false }
          try {
            yield { name, input: checkPassing(body, file, reading), lastModified: row.created_at }
          } finally {
            // The storage's stream is also closed when the client aborts the export.
            body.destroy()
          }
          addSheetLine(name, reading.whole ? 'Sí' : `Dañado: ${VIEWING_MESSAGES.danado}`)
        }
      }
    }
    yield { name: 'contenido.csv', input: `\ufeff${sheet.join('')}`, lastModified: new Date() }
  }
  return makeZip(files())
}

/** Passes the bytes through; at the end sets `seen.whole` where their SHA-256 is the recorded one. */
async function* checkPassing(body: Readable, { sha256 }: DocumentFile, reading: { whole: boolean }) {
  const hash = createHash('sha256')
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    hash.update(chunk)
    yield chunk
  }
  reading.whole = hash.digest('hex') === sha256
}

/** Reduces a name to at most 60 ASCII characters, since not every program reads file names in a ZIP as UTF-8. */
const asciiName = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/[^A-Za-z0-9 _-]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 60) || 'sin nombre'
