import type { ClientBase } from 'pg'
import { type CopyRow, column, copyRows } from '#app/core/db/binary-copy-reader.server.ts'
import type { Batch, Vote } from './batch-reader.server.ts'

/**
 * At most this many batches are read per query. The chain is read over a dedicated connection, in the order of its batches, by
 * binary COPY.
 */

const BATCHES_AT_ONCE = 500

/** The columns of a vote stand in the order in which `vote` reads them. */
const COLUMNS = [
  ...['lote', 'id', 'user_id', 'candidata', 'recibo', 'firma', 'correo', 'red', 'bloque', 'dominio', 'sospecha'],
  'created_at',
]

const vote = (edition: number) => (row: CopyRow) => ({
  edicion: edition,
  lote: column.integer(row, 0)!,
  id: column.bigint(row, 1)!,
  user_id: column.text(row, 2)!,
  candidata: column.text(row, 3),
  recibo: column.text(row, 4),
  firma: column.bytes(row, 5),
  correo: column.bytes(row, 6),
  red: column.text(row, 7),
  bloque: column.text(row, 8),
  dominio: column.text(row, 9),
  sospecha: column.text(row, 10) as Vote['sospecha'],
  created_at: column.timestamp(row, 11)!,
})

/** Yields the batches with numbers in (behind, upTo], each with its votes. */
export const copiedBatches = (client: ClientBase, edition: number, behind: number, upTo: number) =>
  readCopiedBatches<Vote & { lote: number }>(client, edition, behind, upTo, COLUMNS, vote(edition))

/** Yields the same batches, with only the columns of a vote that its ballot needs. */
export const copiedBallots = (client: ClientBase, edition: number, behind: number, upTo: number) =>
  readCopiedBatches(client, edition, behind, upTo, ['lote', 'recibo', 'candidata'], (row) => ({
    lote: column.integer(row, 0)!,
    recibo: column.text(row, 1),
    candidata: column.text(row, 2),
  }))

async function* readCopiedBatches<Row extends { lote: number }>(
  client: ClientBase,
  edition: number,
  behind: number,
  upTo: number,
  columns: readonly string[],
  read: (row: CopyRow) => Row,
): AsyncGenerator<{ batch: Batch; votes: Row[] }> {
  for (let after = behind; ; ) {
    const { rows: sealedBatches } = await client.query<Batch>(
      `select * from lotes where edicion = $1 and numero > $2 and numero <= $3 order by numero limit ${BATCHES_AT_ONCE}`,
      [edition, after, upTo],
    )
    if (sealedBatches.length === 0) return
    after = sealedBatches.at(-1)!.numero
    const select = `select ${columns} from banda_digital_votes
      where edicion = ${Math.trunc(edition)} and lote >= ${sealedBatches[0]!.numero} and lote <= ${after} order by lote`
    let votes: Row[] = []
    for await (const rows of copyRows(client, select, columns.length, read))
      for (const row of rows) {
        // Votes that name a missing batch are dropped here; a recount finds them by other reads (recount-beside-chain.server.ts).
        while (sealedBatches[0] && sealedBatches[0].numero < row.lote) {
          yield { batch: sealedBatches.shift()!, votes }
          votes = []
        }
        if (sealedBatches[0]?.numero === row.lote) votes.push(row)
      }
    for (const batch of sealedBatches) {
      yield { batch, votes }
      votes = []
    }
  }
}
