import type { Selectable } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import type { Tables } from '#app/core/db/tables.ts'
import { SIGNED_COLUMNS } from '#app/voting/election/vote-signature.server.ts'
import type { Ballot } from '#app/voting/record/block-seal.ts'
import { hashReceipt } from './block-seal.server.ts'

/** A `Batch` is a row of the chain. This module reads the chain from the database in pieces, however long it is. */

type Batch = Selectable<Tables['lotes']>
type Vote = Pick<Selectable<Tables['banda_digital_votes']>, 'id' | 'lote' | (typeof SIGNED_COLUMNS)[number]>

/** One query reads at most this many votes, unless a batch alone has more. */
export const ROWS_AT_ONCE = 2_000
const BATCHES_AT_ONCE = 500

/** Yields the batches numbered above `behind`, in order, each with its votes as they stand in the database now. */
export async function* batches(
  db: Database,
  edition: number,
  behind = 0,
): AsyncGenerator<{ batch: Batch; votes: Vote[] }> {
  for await (const some of batchesOf(db, edition, behind)) {
    const votes = await db
      .selectFrom('banda_digital_votes')
      .select(['id', 'lote', ...SIGNED_COLUMNS])
      .where('edicion', '=', edition)
      .where('lote', '>=', some[0]!.numero)
      .where('lote', '<=', some.at(-1)!.numero)
      .execute()
    const byBatch = Map.groupBy(votes, ({ lote: batch }) => batch)
    for (const batch of some) yield { batch, votes: byBatch.get(batch.numero) ?? [] }
  }
}

/** Yields the ballots of the batches numbered above `behind`. */
export async function* ballots(
  db: Database,
  edition: number,
  behind = 0,
): AsyncGenerator<{ batchNumber: number; ballots: Ballot[] }> {
  for await (const { batch, votes } of batches(db, edition, behind))
    yield {
      batchNumber: batch.numero,
      ballots: votes.map(({ recibo, candidata }) => ({ recibo: hashReceipt(recibo), candidata: candidata ?? '' })),
    }
}

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
