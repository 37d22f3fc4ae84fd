import type { ClientBase } from 'pg'
import { column, copyRows, type Fila } from '#app/core/db/binary-copy-reader.server.ts'
import type { Batch, Vote } from './batch-reader.server.ts'

/** Reads the chain over a dedicated connection, in the order of its batches, by binary COPY. */

const BATCHES_AT_ONCE = 500

/** The columns of a vote in the order in which `vote` reads them. */
const COLUMNS = [
  ...['lote', 'id', 'user_id', 'candidata', 'recibo', 'firma', 'correo', 'red', 'bloque', 'dominio', 'sospecha'],
  'created_at',
]

const vote = (edition: number) => (fila: Fila) => ({
  edicion: edition,
  lote: column.entero(fila, 0)!,
  id: column.enteroLargo(fila, 1)!,
  user_id: column.texto(fila, 2)!,
  candidata: column.texto(fila, 3),
  recibo: column.texto(fila, 4),
  firma: column.bytes(fila, 5),
  correo: column.bytes(fila, 6),
  red: column.texto(fila, 7),
  bloque: column.texto(fila, 8),
  dominio: column.texto(fila, 9),
  sospecha: column.texto(fila, 10) as Vote['sospecha'],
  created_at: column.momento(fila, 11)!,
})

/** Batches with numbers in (behind, upTo], each with its votes. */
export const copiedBatches = (client: ClientBase, edition: number, behind: number, upTo: number) =>
  copied<Vote & { lote: number }>(client, edition, behind, upTo, COLUMNS, vote(edition))

/** The same batches, with only the columns of a vote that its ballot needs. */
export const copiedBallots = (client: ClientBase, edition: number, behind: number, upTo: number) =>
  copied(client, edition, behind, upTo, ['lote', 'recibo', 'candidata'], (fila) => ({
    lote: column.entero(fila, 0)!,
    recibo: column.texto(fila, 1),
    candidata: column.texto(fila, 2),
  }))

async function* copied<Row extends { lote: number }>(
  client: ClientBase,
  edition: number,
  behind: number,
  upTo: number,
  columns: readonly string[],
  read: (fila: Fila) => Row,
): AsyncGenerator<{ lote: Batch; votos: Row[] }> {
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
        // Votes that name a missing batch are dropped.
        while (sealedBatches[0] && sealedBatches[0].numero < row.lote) {
          yield { lote: sealedBatches.shift()!, votos: votes }
          votes = []
        }
        if (sealedBatches[0]?.numero === row.lote) votes.push(row)
      }
    for (const batch of sealedBatches) {
      yield { lote: batch, votos: votes }
      votes = []
    }
  }
}
