import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { makeZip } from 'client-zip'
import { sql } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { type Celda, lineaCsv } from '#app/core/text/csv.ts'
import { archivosXlsx } from '#app/core/text/xlsx.ts'
import { FORMAS } from '#app/entries/definitions/both-forms.ts'
import { claseOf, nombreDeDocumento, porClase, type TipoInscripcion } from '#app/entries/definitions/document-kinds.ts'
import {
  type Archivo,
  extensionOf,
  listArchivos,
  MENSAJES_DE_VISTA,
  takeArchivo,
} from '#app/entries/documents/viewing.server.ts'
import { datosOf, inscripcionesDe } from './data.server.ts'
import type { Datos } from './rules.ts'
import { type EstadoInscripcion, type Filtro, NOMBRE_DE_ESTADO, NOMBRE_DE_TIPO } from './schema.ts'
import { COLUMNAS_DE_DATOS } from './shown-values.ts'

const BATCH = 500
/** Fewer, where each brings its documents along. */
const ZIP_BATCH = 20

/** Entries with the row of whichever form they came by. */
const enteras = (db: Database, filtro: Filtro) =>
  inscripcionesDe(db, filtro)
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
export interface InscripcionEntera {
  id: number
  tipo: TipoInscripcion
  folio: string
  titular: string
  detalle: string | null
  estado: EstadoInscripcion
  created_at: Date
  datos: Datos
}

/**
 * Every entry that a filter lets through, in the list's order, a batch at a time. Those that arrive meanwhile stand before
 * the beginning: they change nothing of what is under way.
 */
export async function* porTandas(db: Database, filtro: Filtro, size = BATCH): AsyncGenerator<InscripcionEntera[]> {
  let last: { cursor: string; id: number } | undefined
  for (;;) {
    let query = enteras(db, filtro).limit(size)
    if (last) {
      const { cursor, id } = last
      query = query.where(
        sql<boolean>`(inscripciones.created_at, inscripciones.id) < (${cursor}::timestamptz, ${id}::bigint)`,
      )
    }
    const rows = await query.execute()
    if (rows.length > 0)
      yield rows.map(({ fila, cursor: _, ...row }) => ({ ...row, datos: datosOf(FORMAS[row.tipo], fila) }))
    if (rows.length < size) return
    last = rows.at(-1)!
  }
}

const COLUMNAS: { titulo: string; ancho: number; valor(entrada: InscripcionEntera): Celda }[] = [
  { titulo: 'Folio', ancho: 17, valor: ({ folio }) => folio },
  { titulo: 'Tipo', ancho: 13, valor: ({ tipo }) => NOMBRE_DE_TIPO[tipo] },
  { titulo: 'Estado', ancho: 16, valor: ({ estado }) => NOMBRE_DE_ESTADO[estado] },
  { titulo: 'Recibida', ancho: 17, valor: ({ created_at }) => created_at },
  ...COLUMNAS_DE_DATOS.map((columna) => ({
    ...columna,
    valor: ({ tipo, datos }: InscripcionEntera) => columna.valor(tipo, datos),
  })),
]

async function* filasDe(db: Database, filtro: Filtro): AsyncGenerator<Celda[]> {
  yield COLUMNAS.map(({ titulo }) => titulo)
  for await (const rows of porTandas(db, filtro)) for (const row of rows) yield COLUMNAS.map(({ valor }) => valor(row))
}

/** The list as CSV: UTF-8 with its mark, so that every spreadsheet reads the accents. */
export function exportCsv({ db }: Pick<Services, 'db'>, filtro: Filtro): ReadableStream<Uint8Array> {
  async function* lines() {
    yield '\ufeff'
    for await (const fila of filasDe(db, filtro)) yield lineaCsv(fila)
  }
  return Readable.toWeb(
    Readable.from(chunked(lines())).map((text: string) => Buffer.from(text)),
  ) as ReadableStream<Uint8Array>
}

/** The list as a workbook. */
export const exportXlsx = ({ db }: Pick<Services, 'db'>, filtro: Filtro): ReadableStream<Uint8Array> =>
  makeZip(
    archivosXlsx(
      'Inscripciones',
      COLUMNAS.map(({ ancho }) => ancho),
      filasDe(db, filtro),
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
 * @param conReservados also what the panel keeps back, the photographs in swimsuit
 */
export function exportZip(
  services: Pick<Services, 'db' | 'storage'>,
  filtro: Filtro,
  conReservados = false,
): ReadableStream<Uint8Array> {
  const { db, storage } = services
  async function* files() {
    const sheet = [
      lineaCsv(['Folio', 'Nombre', 'Documento', 'Archivo', 'Bytes recibidos', 'SHA-256 de lo recibido', 'Está']),
    ]
    for await (const rows of porTandas(db, filtro, ZIP_BATCH)) {
      const archivos = await listArchivos(
        db,
        rows.map(({ id }) => id),
      )
      for (const row of rows) {
        const own = archivos.filter(({ inscripcionId }) => inscripcionId === row.id)
        own.sort(porClase)
        for (const [at, archivo] of own.entries()) {
          const documento = nombreDeDocumento(archivo.clase, archivo.lado)
          const base = `${row.folio} ${asciiName(row.titular)}/${at + 1} ${asciiName(documento)}`
          const say = (name: string, is: string) =>
            sheet.push(lineaCsv([row.folio, row.titular, documento, name, archivo.bytes, archivo.sha256, is]))
          if (claseOf(archivo.clase).esReservado && !conReservados) {
            say('', 'No: se exporta sólo con la casilla «Con fotos de cuerpo completo»')
            continue
          }
          if (claseOf(archivo.clase).esDeIdentidad) {
            const found = await takeArchivo(services, archivo)
            if (!found.ok) {
              say('', `No: ${MENSAJES_DE_VISTA[found.reason]}`)
              continue
            }
            const name = `${base}.${found.extension}`
            yield { name, input: found.body, lastModified: row.created_at }
            say(name, 'Sí, con la marca «solo para este certamen»')
            continue
          }
          const body = await storage.get(archivo.bucket, archivo.path)
          if (!body) {
            say('', `No: ${MENSAJES_DE_VISTA.perdido}`)
            continue
          }
          const name = `${base}.${extensionOf(archivo.contentType)}`
          const seen = { whole: false }
          try {
            yield { name, input: watched(body, archivo, seen), lastModified: row.created_at }
          } finally {
            // Of an export that is broken off, too.
            body.destroy()
          }
          say(name, seen.whole ? 'Sí' : `Dañado: ${MENSAJES_DE_VISTA.danado}`)
        }
      }
    }
    yield { name: 'contenido.csv', input: `\ufeff${sheet.join('')}`, lastModified: new Date() }
  }
  return makeZip(files())
}

/** The bytes as they pass, and at the end whether they were those that came. */
async function* watched(body: Readable, { sha256 }: Archivo, seen: { whole: boolean }) {
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
