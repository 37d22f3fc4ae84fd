import type { ClientBase } from 'pg'
import { to as copyTo } from 'pg-copy-streams'

/** One row of binary COPY: the bytes it arrived in, and where its columns lie in them. */
export interface Fila {
  bytes: Buffer
  /** Offset of each column's first byte. */
  desde: Int32Array
  /** Length of each column in bytes; −1 for null. */
  largo: Int32Array
}

/**
 * Length of binary COPY's header: 11 bytes of signature, 4 of flags, and 4 for the size of an extension that no server writes.
 * @source https://www.postgresql.org/docs/current/sql-copy.html
 */
const HEADER_BYTES = 19
const END_OF_ROWS = -1

/**
 * Reads a query's rows in PostgreSQL's binary COPY format, in batches as chunks arrive. Rows as text would cost three times as
 * much.
 * @param select a query without parameters: COPY takes none
 * @param columns number of its columns
 * @param read converts a row. The row object is reused afterwards; buffers taken from its bytes stay valid
 */
export async function* copyRows<Row>(
  client: ClientBase,
  select: string,
  columns: number,
  read: (fila: Fila) => Row,
): AsyncGenerator<Row[]> {
  const fila: Fila = { bytes: Buffer.alloc(0), desde: new Int32Array(columns), largo: new Int32Array(columns) }
  const { desde, largo } = fila
  let isBegun = false
  let left: Buffer | undefined
  for await (const chunk of client.query(copyTo(`copy (${select}) to stdout (format binary)`))) {
    const bytes: Buffer = left ? Buffer.concat([left, chunk as Buffer]) : (chunk as Buffer)
    fila.bytes = bytes
    let at = 0
    if (!isBegun) {
      if (bytes.length < HEADER_BYTES) {
        left = bytes
        continue
      }
      at = HEADER_BYTES
      isBegun = true
    }
    const rows: Row[] = []
    for (;;) {
      const after = rowEnd(at)
      if (after === undefined) break
      rows.push(read(fila))
      at = after
    }
    left = at < bytes.length ? bytes.subarray(at) : undefined
    if (rows.length > 0) yield rows
  }

  /** Finds the columns of the row at `begin`. @returns the row's end; undefined while bytes are missing */
  function rowEnd(begin: number): number | undefined {
    const { bytes } = fila
    let at = begin + 2
    if (at > bytes.length) return undefined
    const count = bytes.readInt16BE(begin)
    if (count === END_OF_ROWS) return undefined
    if (count !== columns) throw new Error(`A row of ${count} columns came where ${columns} were asked for`)
    for (let column = 0; column < columns; column++) {
      if (at + 4 > bytes.length) return undefined
      const length = bytes.readInt32BE(at)
      at += 4
      desde[column] = at
      largo[column] = length
      if (length > 0) at += length
    }
    return at > bytes.length ? undefined : at
  }
}

/** PostgreSQL counts timestamps in microseconds from 1 January 2000. */
const EPOCH_MS = Date.UTC(2000, 0, 1)

/** Reads a column by its PostgreSQL type; null for SQL null. */
export const column = {
  entero: ({ bytes, desde, largo }: Fila, column: number): number | null =>
    largo[column]! < 0 ? null : bytes.readInt32BE(desde[column]!),
  enteroLargo: ({ bytes, desde, largo }: Fila, column: number): number | null =>
    largo[column]! < 0 ? null : Number(bytes.readBigInt64BE(desde[column]!)),
  texto: ({ bytes, desde, largo }: Fila, column: number): string | null =>
    largo[column]! < 0 ? null : bytes.toString('utf8', desde[column]!, desde[column]! + largo[column]!),
  bytes: ({ bytes, desde, largo }: Fila, column: number): Buffer | null =>
    largo[column]! < 0 ? null : bytes.subarray(desde[column]!, desde[column]! + largo[column]!),
  /** `infinity` and `-infinity` give an invalid date. */
  momento: ({ bytes, desde, largo }: Fila, column: number): Date | null =>
    largo[column]! < 0 ? null : new Date(EPOCH_MS + Math.floor(Number(bytes.readBigInt64BE(desde[column]!)) / 1_000)),
}
