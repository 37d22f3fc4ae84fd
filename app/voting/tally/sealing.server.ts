import { type Selectable, sql } from 'kysely'
import { CANDADOS } from '#app/core/db/advisory-locks.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Tables } from '#app/core/db/tables.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { hashRecibo, sealOf, sorted } from '#app/voting/chain/block-seal.server.ts'
import { closeCajas } from '#app/voting/chain/published-blocks.server.ts'
import type { Eleccion } from '#app/voting/election/data.server.ts'
import { tramoDe } from '#app/voting/election/rules.ts'
import { signSeal } from '#app/voting/election/seal-signature.server.ts'
import { isSigned, VOTE_KEY } from '#app/voting/election/vote-signature.server.ts'
import { markBatch } from '#app/voting/origins/flagging.server.ts'
import { PRINCIPIO } from '#app/voting/record/block-seal.ts'
import { readActa } from './data.server.ts'
import { ensureApertura, ensureReglas } from './opening-record.server.ts'

const BATCH = 2_000

const HOUR_MS = 60 * 60_000

/** The last batch of the chain; undefined: there is none yet. */
const lastLote = (db: Database, edicion: number) =>
  db
    .selectFrom('lotes')
    .select(['numero', 'sello'])
    .where('edicion', '=', edicion)
    .orderBy('numero', 'desc')
    .limit(1)
    .executeTakeFirst()

/** Takes the lock of sealing until the transaction ends. @returns false: another process has it */
export async function isOurTurn(tx: Database, edicion: number): Promise<boolean> {
  const { rows } = await sql<{ ours: boolean }>`
    select pg_try_advisory_xact_lock(${CANDADOS.sellar}, ${edicion}::int) as ours`.execute(tx)
  return rows[0]!.ours
}

/**
 * Seals the votes cast since the last seal, in batches of at most 2,000 ballots: links each batch into the chain and
 * adds it to the sums and the origins, all of it or nothing. Votes that were not cast through the site are set apart
 * (`lote` 0); after the closing act nothing else is done. As soon as there are ballots enough for a link of the published
 * chain, it is closed in the same transaction.
 * @returns ballots sealed or set apart; undefined: another process is sealing
 */
export async function sealVotes(services: Services, eleccion: Eleccion): Promise<number | undefined> {
  let done = 0
  for (;;) {
    const batch = await services.db.transaction().execute(async (tx) => {
      if (!(await isOurTurn(tx, eleccion.edicion))) return undefined
      const sealed = await sealBatch({ ...services, db: tx }, eleccion)
      return { sealed, more: await closeCajas({ ...services, db: tx }, eleccion.edicion) }
    })
    if (batch === undefined) return undefined
    done += batch.sealed
    if (batch.sealed < BATCH && !batch.more) return done
  }
}

/**
 * Seals everything that is left, closes the last link, and keeps votes and seals out until the caller's transaction ends.
 * @param patienceMs how long to wait for another process that seals
 * @throws lock_not_available (55P03) after `patienceMs`
 */
export async function sealLast(services: Services, tx: Database, eleccion: Eleccion, patienceMs: number) {
  const { edicion } = eleccion
  await sql`select set_config('lock_timeout', ${String(patienceMs)}, true)`.execute(tx)
  for (const lock of [CANDADOS.sellar, CANDADOS.votar])
    await sql`select pg_advisory_xact_lock(${lock}::int, ${edicion}::int)`.execute(tx)
  while ((await sealBatch({ ...services, db: tx }, eleccion)) === BATCH);
  await closeCajas({ ...services, db: tx }, edicion, true)
}

/** Seals one batch, within a transaction that holds CANDADOS.sellar. @returns ballots sealed or set apart */
async function sealBatch({ db: tx, clock, keyed }: Services, eleccion: Eleccion): Promise<number> {
  const { edicion } = eleccion
  const voteKey = keyed(VOTE_KEY)
  const cast = await tx
    .selectFrom('banda_digital_votes')
    .selectAll()
    .where('edicion', '=', edicion)
    .where('lote', 'is', null)
    .limit(BATCH)
    .execute()
  if (cast.length === 0) return 0
  // Triggers keep the sums true to rows that are written by hand. They leave this transaction alone, since it adds to
  // the sums itself.
  await sql`select set_config('certamen.sella', 'si', true)`.execute(tx)
  const now = clock.now()
  await ensureApertura({ db: tx, keyed }, eleccion, now, null)
  await ensureReglas({ db: tx, keyed }, eleccion, now)
  const ours: SignedVote[] = []
  const foreign: { id: number }[] = []
  for (const row of cast) {
    if (isSigned(voteKey, row)) ours.push(row)
    else foreign.push(row)
  }
  await setLote(tx, foreign, 0)
  // After the closing act no vote is sealed: the act's count must stay as it is.
  if (await readActa(tx, edicion, 'cierre')) return foreign.length
  if (ours.length > 0) {
    const last = await lastLote(tx, edicion)
    const numero = (last?.numero ?? 0) + 1
    const anterior = last?.sello ?? PRINCIPIO
    const papeletas = ours.map(({ recibo, candidata }) => ({ recibo: hashRecibo(recibo), candidata }))
    const sello = sealOf(numero, anterior, sorted(papeletas))
    await tx
      .insertInto('lotes')
      .values({
        edicion,
        numero,
        anterior,
        sello,
        firma: signSeal({ keyed }, `${edicion} ${numero} ${sello}`),
        papeletas: ours.length,
        sellado_at: now,
      })
      .execute()
    await setLote(tx, ours, numero)
    await addSums(tx, edicion, ours)
    await markBatch({ db: tx, keyed }, eleccion, ours, numero, now)
  }
  return cast.length
}

const setLote = async (tx: Database, rows: { id: number }[], lote: number) =>
  rows.length > 0 &&
  sql`update banda_digital_votes set lote = ${lote} where id = any(${rows.map(({ id }) => id)}::bigint[])`.execute(tx)

type SignedVote = Selectable<Tables['banda_digital_votes']> & { candidata: string; recibo: string }

type Counted = Pick<SignedVote, 'candidata' | 'created_at' | 'red' | 'bloque' | 'dominio'>

async function addSums(tx: Database, edicion: number, votes: Counted[]): Promise<void> {
  const hours = new Map<string, { edicion: number; hora: Date; candidata: string; votos: number }>()
  const origins = new Map<string, { tramo: Date; clase: 'red' | 'bloque' | 'dominio'; origen: string; votos: number }>()
  for (const { candidata, created_at, red, bloque, dominio } of votes) {
    const hora = new Date(Math.floor(created_at.getTime() / HOUR_MS) * HOUR_MS)
    const sum = hours.get(`${hora.getTime()} ${candidata}`) ?? { edicion, hora, candidata, votos: 0 }
    sum.votos++
    hours.set(`${hora.getTime()} ${candidata}`, sum)
    const tramo = tramoDe(created_at)
    for (const [clase, origen] of [
      ['red', red],
      ['bloque', bloque],
      ['dominio', dominio],
    ] as const) {
      if (origen === null) continue
      const key = `${tramo.getTime()} ${clase} ${origen}`
      const one = origins.get(key) ?? { tramo, clase, origen, votos: 0 }
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
  // The rows go as columns: thousands of single values would keep voters waiting.
  const rows = [...origins.values()]
  await sql`
    insert into votos_por_origen (edicion, tramo, clase, origen, votos)
    select ${edicion}, * from unnest(${rows.map(({ tramo }) => tramo)}::timestamptz[],
      ${rows.map(({ clase }) => clase)}::text[], ${rows.map(({ origen }) => origen)}::text[],
      ${rows.map(({ votos }) => votos)}::int[])
    on conflict (edicion, tramo, clase, origen) do update
      set votos = votos_por_origen.votos + excluded.votos`.execute(tx)
}
