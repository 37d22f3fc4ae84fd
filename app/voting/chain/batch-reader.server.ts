import type { Selectable } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import type { Tables } from '#app/core/db/tables.ts'
import { SIGNED_COLUMNS } from '#app/voting/election/vote-signature.server.ts'
import type { Ballot } from '#app/voting/record/block-seal.ts'
import { hashReceipt } from './block-seal.server.ts'

/** A `Batch` is a row of the chain. This module reads the chain from the database in pieces, however long it is. */

export type Batch = Selectable<Tables['lotes']>
type Row = Selectable<Tables['banda_digital_votes']>
export type Vote = Pick<Row, 'id' | 'lote' | (typeof SIGNED_COLUMNS)[number]>

/**
 * One query reads at most this many votes, unless a batch alone has more. Requests for pages wait while a piece is processed, so
 * larger pieces would delay them.
 */
export const ROWS_AT_ONCE = 2_000
const BATCHES_AT_ONCE = 500

/** Yields the batches numbered above `behind`, in order, each with its votes. */
export const batches = (db: Database, edition: number, behind = 0): AsyncGenerator<{ batch: Batch; votes: Vote[] }> =>
  withVotes(batchesOf(db, edition, behind), (first, last) =>
    votesOf(db, edition, first, last)
      .select(['id', 'lote', ...SIGNED_COLUMNS])
      .execute(),
  )

/** Yields the ballots of the batches numbered above `behind`, as they stand in the database now. */
export async function* ballots(
  db: Database,
  edition: number,
  behind = 0,
): AsyncGenerator<{ batchNumber: number; ballots: Ballot[] }> {
  const read = (first: number, last: number) =>
    votesOf(db, edition, first, last).select(['lote', 'recibo', 'candidata']).execute()
  yield* ballotsOf(withVotes(batchesOf(db, edition, behind), read))
}

/** Turns the votes of batches into ballots. */
export async function* ballotsOf(
  sealedBatches: AsyncIterable<{ batch: Batch; votes: Pick<Row, 'recibo' | 'candidata'>[] }>,
): AsyncGenerator<{ batchNumber: number; ballots: Ballot[] }> {
  for await (const { batch, votes } of sealedBatches)
    yield {
      batchNumber: batch.numero,
      ballots: votes.map(({ recibo, candidata }) => ({ recibo: hashReceipt(recibo), candidata: candidata ?? '' })),
    }
}

const votesOf = (db: Database, edition: number, first: number, last: number) =>
  db
    .selectFrom('banda_digital_votes')
    .where('edicion', '=', edition)
    .where('lote', '>=', first)
    .where('lote', '<=', last)

async function* batchesOf(db: Database, edition: number, behind: number): AsyncGenerator<Batch[]> {
  for (let after = behind; ; ) {
    const sealedBatches = await db
      .selectFrom('lotes')
      .selectAll()
      .where('edicion', '=', edition)
      .where('numero', '>', after)
      .orderBy('numero')
      .limit(BATCHES_AT_ONCE)
      .execute()
    if (sealedBatches.length === 0) return
    after = sealedBatches.at(-1)!.numero
    // Groups batches up to ROWS_AT_ONCE votes, at least one batch per group.
    while (sealedBatches.length > 0) {
      let rows = 0
      const some: Batch[] = []
      while (sealedBatches[0] && (some.length === 0 || rows + sealedBatches[0].papeletas <= ROWS_AT_ONCE)) {
        rows += sealedBatches[0].papeletas
        some.push(sealedBatches.shift()!)
      }
      yield some
    }
  }
}

async function* withVotes<Vote extends Pick<Row, 'lote'>>(
  sealedBatches: AsyncIterable<Batch[]>,
  read: (first: number, last: number) => Promise<Vote[]>,
): AsyncGenerator<{ batch: Batch; votes: Vote[] }> {
  for await (const some of sealedBatches) {
    const byBatch = Map.groupBy(await read(some[0]!.numero, some.at(-1)!.numero), ({ lote: batch }) => batch!)
    for (const batch of some) yield { batch, votes: byBatch.get(batch.numero) ?? [] }
  }
}
