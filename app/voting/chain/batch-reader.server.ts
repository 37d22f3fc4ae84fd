import type { Selectable } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import type { Tables } from '#app/core/db/tables.ts'
import { FIRMADAS } from '#app/voting/election/vote-signature.server.ts'
import type { Papeleta } from '#app/voting/record/block-seal.ts'
import { hashRecibo } from './block-seal.server.ts'

/** The chain as it stands in the database, read piece by piece, however long it is. */

export type Lote = Selectable<Tables['lotes']>
type Row = Selectable<Tables['banda_digital_votes']>
export type Voto = Pick<Row, 'id' | 'lote' | (typeof FIRMADAS)[number]>

/** Votes that are read at once. What is done with them meanwhile keeps whoever asks for a page waiting. */
export const ROWS_AT_ONCE = 2_000
const LOTES_AT_ONCE = 500

/** The chain with the votes of each batch, in its order, from behind a number on. */
export const batches = (db: Database, edicion: number, behind = 0): AsyncGenerator<{ lote: Lote; votos: Voto[] }> =>
  withVotes(lotesOf(db, edicion, behind), (first, last) =>
    votesOf(db, edicion, first, last)
      .select(['id', 'lote', ...FIRMADAS])
      .execute(),
  )

/** The ballots of the chain, batch by batch from behind a number on, as they stand in the database now. */
export async function* ballots(
  db: Database,
  edicion: number,
  behind = 0,
): AsyncGenerator<{ numero: number; papeletas: Papeleta[] }> {
  const read = (first: number, last: number) =>
    votesOf(db, edicion, first, last).select(['lote', 'recibo', 'candidata']).execute()
  yield* ballotsOf(withVotes(lotesOf(db, edicion, behind), read))
}

/** What stands on the ballots of batches. */
export async function* ballotsOf(
  lotes: AsyncIterable<{ lote: Lote; votos: Pick<Row, 'recibo' | 'candidata'>[] }>,
): AsyncGenerator<{ numero: number; papeletas: Papeleta[] }> {
  for await (const { lote, votos } of lotes)
    yield {
      numero: lote.numero,
      papeletas: votos.map(({ recibo, candidata }) => ({ recibo: hashRecibo(recibo), candidata: candidata ?? '' })),
    }
}

const votesOf = (db: Database, edicion: number, first: number, last: number) =>
  db
    .selectFrom('banda_digital_votes')
    .where('edicion', '=', edicion)
    .where('lote', '>=', first)
    .where('lote', '<=', last)

async function* lotesOf(db: Database, edicion: number, behind: number): AsyncGenerator<Lote[]> {
  for (let after = behind; ; ) {
    const lotes = await db
      .selectFrom('lotes')
      .selectAll()
      .where('edicion', '=', edicion)
      .where('numero', '>', after)
      .orderBy('numero')
      .limit(LOTES_AT_ONCE)
      .execute()
    if (lotes.length === 0) return
    after = lotes.at(-1)!.numero
    // As many at once as hold so many rows, and at least one.
    while (lotes.length > 0) {
      let rows = 0
      const some: Lote[] = []
      while (lotes[0] && (some.length === 0 || rows + lotes[0].papeletas <= ROWS_AT_ONCE)) {
        rows += lotes[0].papeletas
        some.push(lotes.shift()!)
      }
      yield some
    }
  }
}

async function* withVotes<Voto extends Pick<Row, 'lote'>>(
  lotes: AsyncIterable<Lote[]>,
  read: (first: number, last: number) => Promise<Voto[]>,
): AsyncGenerator<{ lote: Lote; votos: Voto[] }> {
  for await (const some of lotes) {
    const byLote = Map.groupBy(await read(some[0]!.numero, some.at(-1)!.numero), ({ lote }) => lote!)
    for (const lote of some) yield { lote, votos: byLote.get(lote.numero) ?? [] }
  }
}
