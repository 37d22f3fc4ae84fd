import type { ClientBase } from 'pg'
import { columna, copyRows, type Fila } from '#app/core/db/binary-copy-reader.server.ts'
import type { Lote, Voto } from './batch-reader.server.ts'

/** The chain read by a connection that does nothing else: in the order of its batches, and as bytes. */

const LOTES_AT_ONCE = 500

/** The columns of a vote in the order in which `vote` reads them. */
const COLUMNS = [
  ...['lote', 'id', 'user_id', 'candidata', 'recibo', 'firma', 'correo', 'red', 'bloque', 'dominio', 'sospecha'],
  'created_at',
]

const vote = (edicion: number) => (fila: Fila) => ({
  edicion,
  lote: columna.entero(fila, 0)!,
  id: columna.enteroLargo(fila, 1)!,
  user_id: columna.texto(fila, 2)!,
  candidata: columna.texto(fila, 3),
  recibo: columna.texto(fila, 4),
  firma: columna.bytes(fila, 5),
  correo: columna.bytes(fila, 6),
  red: columna.texto(fila, 7),
  bloque: columna.texto(fila, 8),
  dominio: columna.texto(fila, 9),
  sospecha: columna.texto(fila, 10) as Voto['sospecha'],
  created_at: columna.momento(fila, 11)!,
})

/** Batches behind one number up to another, each with its votes. */
export const copiedBatches = (client: ClientBase, edicion: number, behind: number, upTo: number) =>
  copied<Voto & { lote: number }>(client, edicion, behind, upTo, COLUMNS, vote(edicion))

/** The same with what a ballot says of a vote alone. */
export const copiedBallots = (client: ClientBase, edicion: number, behind: number, upTo: number) =>
  copied(client, edicion, behind, upTo, ['lote', 'recibo', 'candidata'], (fila) => ({
    lote: columna.entero(fila, 0)!,
    recibo: columna.texto(fila, 1),
    candidata: columna.texto(fila, 2),
  }))

async function* copied<Row extends { lote: number }>(
  client: ClientBase,
  edicion: number,
  behind: number,
  upTo: number,
  columns: readonly string[],
  read: (fila: Fila) => Row,
): AsyncGenerator<{ lote: Lote; votos: Row[] }> {
  for (let after = behind; ; ) {
    const { rows: lotes } = await client.query<Lote>(
      `select * from lotes where edicion = $1 and numero > $2 and numero <= $3 order by numero limit ${LOTES_AT_ONCE}`,
      [edicion, after, upTo],
    )
    if (lotes.length === 0) return
    after = lotes.at(-1)!.numero
    const select = `select ${columns} from banda_digital_votes
      where edicion = ${Math.trunc(edicion)} and lote >= ${lotes[0]!.numero} and lote <= ${after} order by lote`
    let votos: Row[] = []
    for await (const rows of copyRows(client, select, columns.length, read))
      for (const row of rows) {
        // Votes of a batch that there is not belong to none.
        while (lotes[0] && lotes[0].numero < row.lote) {
          yield { lote: lotes.shift()!, votos }
          votos = []
        }
        if (lotes[0]?.numero === row.lote) votos.push(row)
      }
    for (const lote of lotes) {
      yield { lote, votos }
      votos = []
    }
  }
}
