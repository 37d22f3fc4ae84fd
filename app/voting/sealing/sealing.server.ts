import { type Selectable, sql } from 'kysely'
import { ADVISORY_LOCKS } from '#app/core/db/advisory-locks.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Tables } from '#app/core/db/tables.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { hashReceipt, sealOf, sortBallots } from '#app/voting/chain/block-seal.server.ts'
import { closeBlocks } from '#app/voting/chain/published-blocks.server.ts'
import type { Election } from '#app/voting/election/data.server.ts'
import { spanOf } from '#app/voting/election/rules.ts'
import { signSeal } from '#app/voting/election/seal-signature.server.ts'
import { isVoteSigned, VOTE_KEY } from '#app/voting/election/vote-signature.server.ts'
import { flagBatch } from '#app/voting/origins/flagging.server.ts'
import { GENESIS_SEAL } from '#app/voting/record/block-seal.ts'
import { readRecord } from './data.server.ts'
import { ensureOpeningRecord } from './opening-record.server.ts'

const BATCH = 2_000

const HOUR_MS = 60 * 60_000

/** Takes the advisory lock of sealing until the transaction ends. @returns false: another process holds the lock */
async function tryLockSealing(tx: Database, edition: number): Promise<boolean> {
  const { rows } = await sql<{ ours: boolean }>`
    select pg_try_advisory_xact_lock(${ADVISORY_LOCKS.seal}, ${edition}::int) as ours`.execute(tx)
  return rows[0]!.ours
}

/**
 * Seals the votes cast since the last seal, in batches of at most 2,000 ballots. Each batch is linked into the chain and added to
 * the sums and the origins in one transaction. Votes that were not cast through the site are set apart (`lote` 0); after the
 * closing record nothing else is sealed. As soon as there are enough ballots for a block of the published chain, the same
 * transaction closes the block.
 * @returns ballots sealed or set apart; undefined: another process is sealing
 */
export async function sealVotes(services: Services, election: Election): Promise<number | undefined> {
  let sealedCount = 0
  for (;;) {
    const sealed = await services.db.transaction().execute(async (tx) => {
      if (!(await tryLockSealing(tx, election.edicion))) return undefined
      const sealed = await sealBatch({ ...services, db: tx }, election)
      await closeBlocks({ ...services, db: tx }, election.edicion)
      return sealed
    })
    if (sealed === undefined) return undefined
    sealedCount += sealed
    if (sealed < BATCH) return sealedCount
  }
}

/**
 * Seals all remaining votes, closes the last block, and keeps votes and seals out until the caller's transaction ends.
 * @param patienceMs how long to wait for another process that seals
 * @throws lock_not_available (55P03) after `patienceMs`
 */
export async function sealLast(services: Services, tx: Database, election: Election, patienceMs: number) {
  const { edicion } = election
  await sql`select set_config('lock_timeout', ${String(patienceMs)}, true)`.execute(tx)
  for (const lock of [ADVISORY_LOCKS.seal, ADVISORY_LOCKS.vote])
    await sql`select pg_advisory_xact_lock(${lock}::int, ${edicion}::int)`.execute(tx)
  while ((await sealBatch({ ...services, db: tx }, election)) === BATCH);
  await closeBlocks({ ...services, db: tx }, edicion, true)
}

/** Seals one batch, within a transaction that holds ADVISORY_LOCKS.seal. @returns ballots sealed or set apart */
async function sealBatch({ db: tx, clock, keyed }: Services, election: Election): Promise<number> {
  const { edicion } = election
  const voteKey = keyed(VOTE_KEY)
  const unsealedVotes = await tx
    .selectFrom('banda_digital_votes')
    .selectAll()
    .where('edicion', '=', edicion)
    .where('lote', 'is', null)
    .limit(BATCH)
    .execute()
  if (unsealedVotes.length === 0) return 0
  // Triggers keep the sums equal to rows that are written by hand. This setting spares this transaction, which adds to the sums
  // itself.
  await sql`select set_config('certamen.sella', 'si', true)`.execute(tx)
  const now = clock.now()
  await ensureOpeningRecord({ db: tx, keyed }, election, now, null)
  const ownVotes: SignedVote[] = []
  const foreignVotes: { id: number }[] = []
  for (const row of unsealedVotes) {
    if (isVoteSigned(voteKey, row)) ownVotes.push(row)
    else foreignVotes.push(row)
  }
  await setBatch(tx, foreignVotes, 0)
  // After the closing record no vote is sealed, since the record's count must stay as it is.
  if (await readRecord(tx, edicion, 'cierre')) return foreignVotes.length
  if (ownVotes.length > 0) {
    const last = await tx
      .selectFrom('lotes')
      .select(['numero', 'sello'])
      .where('edicion', '=', edicion)
      .orderBy('numero', 'desc')
      .limit(1)
      .executeTakeFirst()
    const number = (last?.numero ?? 0) + 1
    const anterior = last?.sello ?? GENESIS_SEAL
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
  const hours = new Map<string, { edicion: number; hora: Date; candidata: string; votos: number }>()
  const origins = new Map<string, { tramo: Date; clase: 'red' | 'bloque' | 'dominio'; origen: string; votos: number }>()
  for (const { candidata, created_at, red, bloque, dominio } of votes) {
    const hour = new Date(Math.floor(created_at.getTime() / HOUR_MS) * HOUR_MS)
    const sum = hours.get(`${hour.getTime()} ${candidata}`) ?? { edicion: edition, hora: hour, candidata, votos: 0 }
    sum.votos++
    hours.set(`${hour.getTime()} ${candidata}`, sum)
    const span = spanOf(created_at)
    for (const [kind, origin] of [
      ['red', red],
      ['bloque', bloque],
      ['dominio', dominio],
    ] as const) {
      if (origin === null) continue
      const key = `${span.getTime()} ${kind} ${origin}`
      const one = origins.get(key) ?? { tramo: span, clase: kind, origen: origin, votos: 0 }
      one.votos++
      origins.set(key, one)
    }
  }
  await tx
    .insertInto('votos_por_hora')
    .values([...hours.values()])
    .onConflict((conflict) =>
      conflict
        .columns(['edicion', 'hora', 'candidata'])
        .doUpdateSet(({ ref }) => ({ votos: sql`votos_por_hora.votos + ${ref('excluded.votos')}` })),
    )
    .execute()
  if (origins.size === 0) return
  // The rows go as columns: thousands of single parameters would keep voters waiting.
  const rows = [...origins.values()]
  await sql`
    insert into votos_por_origen (edicion, tramo, clase, origen, votos)
    select ${edition}, * from unnest(${rows.map(({ tramo }) => tramo)}::timestamptz[],
      ${rows.map(({ clase }) => clase)}::text[], ${rows.map(({ origen }) => origen)}::text[],
      ${rows.map(({ votos }) => votos)}::int[])
    on conflict (edicion, tramo, clase, origen) do update
      set votos = votos_por_origen.votos + excluded.votos`.execute(tx)
}
