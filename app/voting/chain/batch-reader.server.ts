import type { Selectable } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import type { Tables } from '#app/core/db/tables.ts'
import { SIGNED_COLUMNS } from '#app/voting/election/vote-signature.server.ts'
import type { Ballot } from '#app/voting/record/block-seal.ts'
import { hashReceipt } from './seal-hash.server.ts'

type Batch = Selectable<Tables['lotes']>
type Vote = Pick<Selectable<Tables['banda_digital_votes']>, 'id' | 'lote' | (typeof SIGNED_COLUMNS)[number]>

/** Maximum number of votes that one query reads, unless a single batch has more. */
export const MAX_VOTES_PER_QUERY = 2_000
const MAX_BATCHES_PER_QUERY = 500

/**
 * Yields the sealed batches in order, each with its votes as the database holds them now. Reads some batches at a time, since the
 * chain may be long.
 * @param after number of the batch after which to begin
 */
export async function* readBatches(
  db: Database,
  edition: number,
  after = 0,
): AsyncGenerator<{ batch: Batch; votes: Vote[] }> {
  for await (const group of readBatchGroups(db, edition, after)) {
    const votes = await db
      .selectFrom('banda_digital_votes')
      .select(['id', 'lote', ...SIGNED_COLUMNS])
      .where('edicion', '=', edition)
      .where('lote', '>=', group[0]!.numero)
      .where('lote', '<=', group.at(-1)!.numero)
      .execute()
    const votesByBatch = Map.groupBy(votes, ({ lote }) => lote)
    for (const batch of group) yield { batch, votes: votesByBatch.get(batch.numero) ?? [] }
  }
}

/** Yields the sealed batches in order, each with its unsorted ballots. @param after number of the batch after which to begin */
export async function* readBallots(
  db: Database,
  edition: number,
  after = 0,
): AsyncGenerator<{ batchNumber: number; ballots: Ballot[] }> {
  for await (const { batch, votes } of readBatches(db, edition, after))
    yield {
      batchNumber: batch.numero,
      ballots: votes.map(({ recibo, candidata }) => ({ recibo: hashReceipt(recibo), candidata: candidata ?? '' })),
    }
}

async function* readBatchGroups(db: Database, edition: number, after: number): AsyncGenerator<Batch[]> {
  for (let lastNumber = after; ; ) {
    const sealedBatches = await db
      .selectFrom('lotes')
      .selectAll()
      .where('edicion', '=', edition)
      .where('numero', '>', lastNumber)
      .orderBy('numero')
      .limit(MAX_BATCHES_PER_QUERY)
      .execute()
    if (sealedBatches.length === 0) return
    lastNumber = sealedBatches.at(-1)!.numero
    // Each group has as many batches as fit into MAX_VOTES_PER_QUERY, at least one.
    while (sealedBatches.length > 0) {
      let voteCount = 0
      const group: Batch[] = []
      while (
        sealedBatches[0] &&
        (group.length === 0 || voteCount + sealedBatches[0].papeletas <= MAX_VOTES_PER_QUERY)
      ) {
        voteCount += sealedBatches[0].papeletas
        group.push(sealedBatches.shift()!)
      }
      yield group
    }
  }
}
