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
} from '#app/entries/documents/viewing.server.ts'
import { dataOf, entriesMatching } from './data.server.ts'
import type { Data } from './rules.ts'
import { ENTRY_TYPE_NAMES, type EntryFilter, type EntryState, STATE_NAMES } from './schema.ts'
import { DATA_COLUMNS } from './shown-values.ts'

const BATCH = 500
/** Fewer, where each brings its documents along. */
const ZIP_BATCH = 20

/** Entries with the row of whichever form they came by. */
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
      // To the microsecond, which a Date does not hold.
      sql<string>`inscripciones.created_at::text`.as('cursor'),
    ])

/** An entry with all that its form asked for. */
export interface FullEntry {
  id: number
  tipo: EntryType
  folio: string
  titular: string
  detalle: string | null
  estado: EntryState
  created_at: Date
  datos: Data
}

/**
 * Every entry that a filter lets through, in the list's order, a batch at a time. Those that arrive meanwhile stand before
 * the beginning: they change nothing of what is under way.
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
      yield rows.map(({ fila, cursor: _, ...row }) => ({ ...row, datos: dataOf(FORMS[row.tipo], fila) }))
    if (rows.length < size) return
    last = rows.at(-1)!
  }
}

const COLUMNS: { titulo: string; ancho: number; valor(entry: FullEntry): Cell }[] = [
  { titulo: 'Folio', ancho: 17, valor: ({ folio }) => folio },
  { titulo: 'Tipo', ancho: 13, valor: ({ tipo }) => ENTRY_TYPE_NAMES[tipo] },
  { titulo: 'Estado', ancho: 16, valor: ({ estado }) => STATE_NAMES[estado] },
  { titulo: 'Recibida', ancho: 17, valor: ({ created_at }) => created_at },
  ...DATA_COLUMNS.map((column) => ({
    ...column,
    valor: ({ tipo, datos }: FullEntry) => column.valor(tipo, datos),
  })),
]

async function* rowsOf(db: Database, filter: EntryFilter): AsyncGenerator<Cell[]> {
  yield COLUMNS.map(({ titulo }) => titulo)
  for await (const rows of inBatches(db, filter)) for (const row of rows) yield COLUMNS.map(({ valor }) => valor(row))
}

/** The list as CSV: UTF-8 with its mark, so that every spreadsheet reads the accents. */
export function exportCsv({ db }: Pick<Services, 'db'>, filter: EntryFilter): ReadableStream<Uint8Array> {
  async function* lines() {
    yield '\ufeff'
    for await (const fila of rowsOf(db, filter)) yield csvLine(fila)
  }
  return Readable.toWeb(
    Readable.from(chunked(lines())).map((text: string) => Buffer.from(text)),
  ) as ReadableStream<Uint8Array>
}

/** The list as a workbook. */
export const exportXlsx = ({ db }: Pick<Services, 'db'>, filter: EntryFilter): ReadableStream<Uint8Array> =>
  makeZip(
    xlsxFiles(
      'Inscripciones',
      COLUMNS.map(({ ancho }) => ancho),
      rowsOf(db, filter),
    ).map(({ name, input }) => ({ name, input: typeof input === 'string' ? input : chunked(input) })),
  )

/** Lines put together: each piece costs its way through several streams. */
async function* chunked(lines: AsyncIterable<string>): AsyncGenerator<string> {
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
 * Every document of the entries, one folder an entry, and last a sheet that says what is in it and what is not, and why.
 * Streamed as it is taken: one document at a time is in memory, and only those that need the mark.
 * @param hasReserved also what the panel keeps back, the photographs in swimsuit
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
        const own = files.filter(({ inscripcionId }) => inscripcionId === row.id)
        own.sort(compareByKind)
        for (const [at, file] of own.entries()) {
          const document = documentName(file.clase, file.lado)
          const base = `${row.folio} ${asciiName(row.titular)}/${at + 1} ${asciiName(document)}`
          const say = (name: string, is: string) =>
            sheet.push(csvLine([row.folio, row.titular, document, name, file.bytes, file.sha256, is]))
          if (kindOf(file.clase).esReservado && !hasReserved) {
            say('', 'No: se exporta sólo con la casilla «Con fotos de cuerpo completo»')
            continue
          }
          if (kindOf(file.clase).esDeIdentidad) {
            const found = await downloadFile(services, file)
            if (!found.ok) {
              say('', `No: ${VIEWING_MESSAGES[found.reason]}`)
              continue
            }
            const name = `${base}.${found.extension}`
            yield { name, input: found.body, lastModified: row.created_at }
            say(name, 'Sí, con la marca «solo para este certamen»')
            continue
          }
          const body = await storage.get(file.bucket, file.path)
          if (!body) {
            say('', `No: ${VIEWING_MESSAGES.perdido}`)
            continue
          }
          const name = `${base}.${extensionOf(file.contentType)}`
          const seen = { whole: false }
          try {
            yield { name, input: watched(body, file, seen), lastModified: row.created_at }
          } finally {
            // Of an export that is broken off, too.
            body.destroy()
          }
          say(name, seen.whole ? 'Sí' : `Dañado: ${VIEWING_MESSAGES.danado}`)
        }
      }
    }
    yield { name: 'contenido.csv', input: `\ufeff${sheet.join('')}`, lastModified: new Date() }
  }
  return makeZip(files())
}

/** The bytes as they pass, and at the end whether they were those that came. */
async function* watched(body: Readable, { sha256 }: DocumentFile, seen: { whole: boolean }) {
  const hash = createHash('sha256')
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    hash.update(chunk)
    yield chunk
  }
  seen.whole = hash.digest('hex') === sha256
}

/** For names of files, which not every program reads in UTF-8. */
const asciiName = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/[^A-Za-z0-9 _-]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 60) || 'sin nombre'
