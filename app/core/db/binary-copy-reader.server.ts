import type { ClientBase } from 'pg'
import { to as copyTo } from 'pg-copy-streams'

/** Where the columns of a row lie in the bytes that it came in. */
export interface Fila {
  bytes: Buffer
  /** Where each column begins. */
  desde: Int32Array
  /** How long each is, in bytes; −1 for null. */
  largo: Int32Array
}

/** Before the first row: 11 bytes of signature, flags, and the length of an extension that no server writes. */
const HEADER_BYTES = 19
const END_OF_ROWS = -1

/**
 * Reads what a query answers as the server keeps it, at a third of what rows of text cost, in pieces as they come.
 * @param select without parameters: COPY takes none
 * @param columns how many it has
 * @param read makes of a row what is wanted of it; the row is good until it returns, its bytes for as long as anybody has them
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

  /** Finds the columns of the row that begins there. @returns where it ends; undefined: more bytes have to come */
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

/** PostgreSQL counts moments in microseconds from here. */
const EPOCH_MS = Date.UTC(2000, 0, 1)

/** A column's value, by its type in the database; null where it has none. */
export const column = {
  entero: ({ bytes, desde, largo }: Fila, column: number): number | null =>
    largo[column]! < 0 ? null : bytes.readInt32BE(desde[column]!),
  enteroLargo: ({ bytes, desde, largo }: Fila, column: number): number | null =>
    largo[column]! < 0 ? null : Number(bytes.readBigInt64BE(desde[column]!)),
  texto: ({ bytes, desde, largo }: Fila, column: number): string | null =>
    largo[column]! < 0 ? null : bytes.toString('utf8', desde[column]!, desde[column]! + largo[column]!),
  bytes: ({ bytes, desde, largo }: Fila, column: number): Buffer | null =>
    largo[column]! < 0 ? null : bytes.subarray(desde[column]!, desde[column]! + largo[column]!),
  /** Of a moment that no calendar has, an invalid date. */
  momento: ({ bytes, desde, largo }: Fila, column: number): Date | null =>
    largo[column]! < 0 ? null : new Date(EPOCH_MS + Math.floor(Number(bytes.readBigInt64BE(desde[column]!)) / 1_000)),
}
