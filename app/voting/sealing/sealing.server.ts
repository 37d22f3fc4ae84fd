import { type Selectable, sql } from 'kysely'
import { ADVISORY_LOCKS } from '#app/core/db/advisory-locks.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Tables } from '#app/core/db/tables.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { HOUR_MS } from '#app/core/time/durations.ts'
import { closeBlocks } from '#app/voting/chain/published-blocks.server.ts'
import { hashReceipt, sealOf, sortBallots } from '#app/voting/chain/seal-hash.server.ts'
import type { Election } from '#app/voting/election/data.server.ts'
import { isVoteOpenAt, spanOf } from '#app/voting/election/rules.ts'
import { signSeal } from '#app/voting/election/seal-signature.server.ts'
import { isVoteSigned, VOTE_KEY_PURPOSE } from '#app/voting/election/vote-signature.server.ts'
import { flagBatch } from '#app/voting/origins/flagging.server.ts'
import { GENESIS_SEAL } from '#app/voting/record/block-seal.ts'
import { readRecord } from './data.server.ts'
import { ensureOpeningRecord } from './opening-record.server.ts'

/** Votes beyond this number make further batches, so that no transaction of `sealVotes` is long. */
const MAX_BATCH_VOTES = 2_000

/** Takes the advisory lock of sealing until the transaction ends. @returns false if another process holds the lock */
async function tryLockSealing(tx: Database, edition: number): Promise<boolean> {
  const { rows } = await sql<{ is_acquired: boolean }>`
    select pg_try_advisory_xact_lock(${ADVISORY_LOCKS.seal}, ${edition}::int) as is_acquired`.execute(tx)
  return rows[0]!.is_acquired
}

/**
 * Seals the unsealed votes in batches. One transaction appends a batch to the chain, adds it to the sums and the origins, and
 * closes a block of the published chain if there are enough ballots. Votes that were not cast through the site are set apart
 * (`lote` 0). Once the closing record exists, no vote is sealed.
 * @returns number of votes sealed or set apart; undefined if another process is sealing
 */
export async function sealVotes(services: Services, election: Election): Promise<number | undefined> {
  let sealedCount = 0
  for (;;) {
    const batchCount = await services.db.transaction().execute(async (tx) => {
      if (!(await tryLockSealing(tx, election.edicion))) return undefined
      const voteCount = await sealBatch({ ...services, db: tx }, election)
      await closeBlocks({ ...services, db: tx }, election.edicion)
      return voteCount
    })
    if (batchCount === undefined) return undefined
    sealedCount += batchCount
    if (batchCount < MAX_BATCH_VOTES) return sealedCount
  }
}

/**
 * Seals all remaining votes and closes the last block. Until the caller's transaction ends, no other vote is stored or sealed.
 * @param maxWaitMs maximum wait for each lock, such as that of a process that is sealing
 * @throws lock_not_available (55P03) after `maxWaitMs`
 */
export async function sealRemainingVotes(services: Services, tx: Database, election: Election, maxWaitMs: number) {
  const { edicion } = election
  await sql`select set_config('lock_timeout', ${String(maxWaitMs)}, true)`.execute(tx)
  for (const lock of [ADVISORY_LOCKS.seal, ADVISORY_LOCKS.vote])
    await sql`select pg_advisory_xact_lock(${lock}::int, ${edicion}::int)`.execute(tx)
  while ((await sealBatch({ ...services, db: tx }, election)) === MAX_BATCH_VOTES);
  await closeBlocks({ ...services, db: tx }, edicion, true)
}

/**
 * Draws up the opening record if it is due, and seals one batch. The transaction must hold ADVISORY_LOCKS.seal.
 * @returns number of votes sealed or set apart
 */
async function sealBatch({ db: tx, clock, keyed }: Services, election: Election): Promise<number> {
  const { edicion } = election
  const voteKey = keyed(VOTE_KEY_PURPOSE)
  const unsealedVotes = await tx
    .selectFrom('banda_digital_votes')
    .selectAll()
    .where('edicion', '=', edicion)
    .where('lote', 'is', null)
    .limit(MAX_BATCH_VOTES)
    .execute()
  const now = clock.now()
  // The opening record fixes candidates, rules and opening as soon as a stated opening has passed, even before the first vote.
  const hasOpened = election.abre !== undefined && election.candidatas.length > 0 && isVoteOpenAt(election, now)
  if (hasOpened || unsealedVotes.length > 0) await ensureOpeningRecord({ db: tx, keyed }, election, now, null)
  if (unsealedVotes.length === 0) return 0
  // A trigger keeps the hourly sums in step with rows that are changed by hand. The setting switches it off for this transaction,
  // in which `addSums` adds the whole batch.
  await sql`select set_config('certamen.sella', 'si', true)`.execute(tx)
  const ownVotes: SignedVote[] = []
  const foreignVotes: { id: number }[] = []
  for (const row of unsealedVotes) {
    if (isVoteSigned(voteKey, row)) ownVotes.push(row)
    else foreignVotes.push(row)
  }
  await setBatch(tx, foreignVotes, 0)
  // Sealing a vote after the closing record would make the record's count wrong.
  if (await readRecord(tx, edicion, 'cierre')) return foreignVotes.length
  if (ownVotes.length > 0) {
    const lastBatch = await tx
      .selectFrom('lotes')
      .select(['numero', 'sello'])
      .where('edicion', '=', edicion)
      .orderBy('numero', 'desc')
      .limit(1)
      .executeTakeFirst()
    const number = (lastBatch?.numero ?? 0) + 1
    const anterior = lastBatch?.sello ?? GENESIS_SEAL
    const ballots = ownVotes.map(({ recibo, candidata }) => ({ recibo: hashReceipt(recibo), candidata }))
    const seal = sealOf(number, anterior, sortBallots(ballots))
    await tx
      .insertInto('lotes')
      .values({
        edicion,
        numero: number,
        anterior,
        sello: seal,
        firma: signSeal({ keyed }, `${edicion} ${number} ${seal}`),
        papeletas: ownVotes.length,
        sellado_at: now,
      })
      .execute()
    await setBatch(tx, ownVotes, number)
    await addSums(tx, edicion, ownVotes)
    await flagBatch({ db: tx, keyed }, election, ownVotes, number, now)
  }
  return unsealedVotes.length
}

const setBatch = async (tx: Database, rows: { id: number }[], batch: number) =>
  rows.length > 0 &&
  sql`update banda_digital_votes set lote = ${batch} where id = any(${rows.map(({ id }) => id)}::bigint[])`.execute(tx)

type SignedVote = Selectable<Tables['banda_digital_votes']> & { candidata: string; recibo: string }

type CountedVote = Pick<SignedVote, 'candidata' | 'created_at' | 'red' | 'bloque' | 'dominio'>

async function addSums(tx: Database, edition: number, votes: CountedVote[]): Promise<void> {
  const hourlySums = new Map<string, { edicion: number; hora: Date; candidata: string; votos: number }>()
  const originSums = new Map<
    string,
    { tramo: Date; clase: 'red' | 'bloque' | 'dominio'; origen: string; votos: number }
  >()
  for (const { candidata, created_at, red, bloque, dominio } of votes) {
    const hour = new Date(Math.floor(created_at.getTime() / HOUR_MS) * HOUR_MS)
    const sum = hourlySums.get(`${hour.getTime()} ${candidata}`) ?? {
      edicion: edition,
      hora: hour,
      candidata,
      votos: 0,
    }
    sum.votos++
    hourlySums.set(`${hour.getTime()} ${candidata}`, sum)
    const span = spanOf(created_at)
    for (const [kind, origin] of [
      ['red', red],
      ['bloque', bloque],
      ['dominio', dominio],
    ] as const) {
      if (origin === null) continue
      const key = `${span.getTime()} ${kind} ${origin}`
      const originSum = originSums.get(key) ?? { tramo: span, clase: kind, origen: origin, votos: 0 }
      originSum.votos++
      originSums.set(key, originSum)
    }
  }
  await tx
    .insertInto('votos_por_hora')
    .values([...hourlySums.values()])
    .onConflict((conflict) =>
      conflict
        .columns(['edicion', 'hora', 'candidata'])
        .doUpdateSet(({ ref }) => ({ votos: sql`votos_por_hora.votos + ${ref('excluded.votos')}` })),
    )
    .execute()
  if (originSums.size === 0) return
  // The rows are sent as columns, since thousands of single parameters would be slow.
  const rows = [...originSums.values()]
  await sql`
    insert into votos_por_origen (edicion, tramo, clase, origen, votos)
    select ${edition}, * from unnest(${rows.map(({ tramo }) => tramo)}::timestamptz[],
      ${rows.map(({ clase }) => clase)}::text[], ${rows.map(({ origen }) => origen)}::text[],
      ${rows.map(({ votos }) => votos)}::int[])
    on conflict (edicion, tramo, clase, origen) do update
      set votos = votos_por_origen.votos + excluded.votos`.execute(tx)
}
