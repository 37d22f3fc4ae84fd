import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import type { FlagKind, Tables } from '#app/core/db/tables.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { type Election, readRules } from '#app/voting/election/data.server.ts'
import { grownThreshold, type OriginRules } from '#app/voting/election/origin-rules.ts'
import { SPAN_MS, spanOf } from '#app/voting/election/rules.ts'
import { signSeal } from '#app/voting/election/seal-signature.server.ts'
import type { SignedVoteFields } from '#app/voting/election/vote-signature.server.ts'

export type Flag = Selectable<Tables['marcas']>

/** The origin that a flag marks, or the burst of an origin. */
export type FlagTarget = Pick<Flag, 'clase' | 'origen' | 'tramo'>

type VoteOrigin = Pick<SignedVoteFields, 'red' | 'bloque' | 'dominio' | 'sospecha' | 'created_at'>

type RulesInForce = Awaited<ReturnType<typeof readRules>>

/** Returns the text that a flag's signature covers. */
export const signedFlagText = (flag: FlagTarget & Pick<Flag, 'edicion' | 'umbral' | 'al_marcar' | 'at'>): string =>
  JSON.stringify([
    'marca',
    ...[flag.edicion, flag.clase, flag.origen, flag.tramo?.toISOString() ?? null],
    ...[flag.umbral, flag.al_marcar, flag.at.toISOString()],
  ])

/**
 * Returns the SQL condition that selects the sealed votes of a flag, shared by flagging, annulment and recount.
 * @param since start of the rules in force; undefined if they hold for the whole edition
 * @returns a condition over `banda_digital_votes v`
 */
export function flagCondition({ clase, origen, tramo }: FlagTarget, edition: number, since: Date | undefined) {
  const [network = '', hostingServer = ''] = origen.split(' ')
  const receivedBy = (mailServer: string, isHosting: boolean) => sql`v.dominio in (
    select r.dominio from receptores r
    where r.edicion = ${edition} and r.receptor = ${mailServer} and r.alojamiento = ${isHosting}::boolean)`
  const inBurst = (column: 'red' | 'bloque') => sql`${sql.ref(`v.${column}`)} = ${origen}
    and v.created_at >= ${tramo} and v.created_at < ${tramo && new Date(tramo.getTime() + SPAN_MS)}`
  const conditions: Record<FlagKind, () => RawBuilder<unknown>> = {
    dominio: () => sql`v.dominio = ${origen}`,
    receptor: () => receivedBy(origen, false),
    alojamiento: () => sql`v.red = ${network} and ${receivedBy(hostingServer, true)}`,
    desechable: () => sql`v.sospecha = 'desechable'`,
    servicio: () => sql`v.sospecha = 'servicio'`,
    'rafaga-red': () => inBurst('red'),
    'rafaga-bloque': () => inBurst('bloque'),
    'antes-red': () => sql`v.sospecha = 'red' and v.red = ${origen}`,
    'antes-dominio': () => sql`v.sospecha = 'dominio' and v.dominio = ${origen}`,
  }
  // Votes that were already suspicious when they were cast are flagged even if they are older than the rules.
  const sinceCondition =
    since && !/^(antes|desechable|servicio)/.test(clase) ? sql`and v.created_at >= ${since}` : sql``
  return sql`v.edicion = ${edition} and v.lote > 0 and ${conditions[clase]()} ${sinceCondition}`
}

/**
 * An origin whose votes are counted over the whole edition. Counts of networks and blocks are not compared with a threshold; those
 * of networks decide about proof of work.
 */
type CountedOrigin = { clase: 'dominio' | 'servicio' | 'desechable' | 'red' | 'bloque'; origen: string }

/**
 * Returns how many votes an origin may have in the whole edition: none for disposable addresses, any number for kinds without a
 * threshold for the edition. The other thresholds grow with the number of sealed votes.
 */
function thresholdOf({ clase }: CountedOrigin, rules: OriginRules, sealedCount: number): number {
  if (clase === 'desechable') return 0
  if (clase === 'dominio') return grownThreshold(rules.dominio, rules, sealedCount)
  if (clase === 'servicio' && rules.servicio !== undefined) return grownThreshold(rules.servicio, rules, sealedCount)
  return Number.POSITIVE_INFINITY
}

/**
 * Lists the origins that a vote counts for over the whole edition: its network and block, and at most one origin with a
 * threshold. A vote with such an origin counts for no burst (`BURST_EVIDENCE`), since votes from worthless addresses must not get
 * other votes of their network flagged.
 */
function originsOf({ red: network, bloque, dominio, sospecha }: VoteOrigin): CountedOrigin[] {
  const origins: CountedOrigin[] = []
  if (network !== null) origins.push({ clase: 'red', origen: network })
  if (bloque !== null) origins.push({ clase: 'bloque', origen: bloque })
  if (sospecha === 'desechable' || sospecha === 'servicio') origins.push({ clase: sospecha, origen: '' })
  else if (dominio !== null) origins.push({ clase: 'dominio', origen: dominio })
  return origins
}

/** SQL condition over `banda_digital_votes v` that selects the votes that count for bursts. */
export const BURST_EVIDENCE = sql`v.dominio is null and v.sospecha is null`

/** Counts an edition's sealed votes, from the hourly sums. */
export async function countSealed(db: Database, edition: number): Promise<number> {
  const { rows } = await sql<{ votos: number }>`
    select coalesce(sum(votos), 0)::int as votos from votos_por_hora where edicion = ${edition}`.execute(db)
  return rows[0]!.votos
}

/**
 * Adds a batch that was just sealed to the counts of its origins. If an origin or a burst passes its threshold with this batch,
 * flags all its votes; if it is already flagged, flags its votes in the batch. Runs in the transaction that seals the batch,
 * after the batch was added to the hourly sums.
 */
export async function flagBatch(
  services: Pick<Services, 'db' | 'keyed'>,
  election: Election,
  votes: readonly VoteOrigin[],
  batchNumber: number,
  now: Date,
): Promise<void> {
  const { db } = services
  const { edicion } = election
  const rulesInForce = await readRules(db, election)
  const { rules, since, arePublished } = rulesInForce
  // Without published rules no vote is counted for its origins or flagged.
  if (!arePublished) return
  const votesUnderRules = since ? votes.filter(({ created_at }) => created_at >= since) : votes
  const sums = new Map<string, CountedOrigin & { votos: number }>()
  for (const vote of votesUnderRules)
    for (const origin of originsOf(vote)) {
      const key = `${origin.clase} ${origin.origen}`
      const total = sums.get(key) ?? { ...origin, votos: 0 }
      total.votos++
      sums.set(key, total)
    }
  // Bursts are counted in spans that lie wholly under the rules.
  const spans = [...new Set(votesUnderRules.map(({ created_at }) => spanOf(created_at).getTime()))]
    .map((ms) => new Date(ms))
    .filter((span) => !since || span >= since)
  const earlierFlags = await listEarlierFlags(db, edicion, [...sums.values()], spans)
  const originsToFlag = await addToOrigins(db, edicion, [...sums.values()], batchNumber, rules)
  originsToFlag.push(...(await findBursts(db, edicion, spans, rules)), ...earlierFlags)
  for (const originToFlag of originsToFlag)
    await flagVotes(services, election, rulesInForce, originToFlag, batchNumber, now)
}

interface OriginToFlag extends FlagTarget {
  umbral: number
  votos: number
  /** Number of the first batch that may hold votes of the origin. */
  fromBatch: number
}

/** Adds a batch's votes to the counts of their origins. @returns the origins that are beyond their threshold now */
async function addToOrigins(
  db: Database,
  edition: number,
  sums: readonly (CountedOrigin & { votos: number })[],
  batchNumber: number,
  rules: OriginRules,
): Promise<OriginToFlag[]> {
  if (sums.length === 0) return []
  // Concurrent statements lock sorted rows in the same order, so they do not deadlock. The rows are sent as columns, since
  // thousands of single parameters would be slow.
  const rows = sums.toSorted((a, b) => (`${a.clase} ${a.origen}` < `${b.clase} ${b.origen}` ? -1 : 1))
  const sealedCount = await countSealed(db, edition)
  const { rows: totals } = await sql<{
    clase: CountedOrigin['clase']
    origen: string
    votos: number
    desde_lote: number
  }>`
    insert into origenes (edicion, clase, origen, votos, desde_lote)
    select ${edition}, *, ${batchNumber}::int from unnest(${rows.map(({ clase }) => clase)}::text[],
      ${rows.map(({ origen }) => origen)}::text[], ${rows.map(({ votos }) => votos)}::int[])
    on conflict (edicion, clase, origen) do update
      set votos = origenes.votos + excluded.votos, desde_lote = least(origenes.desde_lote, excluded.desde_lote)
    returning clase, origen, votos, desde_lote`.execute(db)
  return totals.flatMap(({ clase, origen, votos, desde_lote }) => {
    const umbral = thresholdOf({ clase, origen }, rules, sealedCount)
    return votos > umbral
      ? [{ clase: clase as FlagKind, origen, tramo: null, umbral, votos, fromBatch: desde_lote }]
      : []
  })
}

/** Finds the bursts in the given spans. The votes of a network's burst do not count for a burst of its block. */
async function findBursts(
  db: Database,
  edition: number,
  spans: readonly Date[],
  rules: OriginRules,
): Promise<OriginToFlag[]> {
  const { rows } = await sql<{ clase: 'red' | 'bloque'; origen: string; tramo: Date; votos: number; lote: number }>`
    select o.clase, o.origen, o.tramo, e.votos, f.lote
    from votos_por_origen o
    join (values ('red', ${rules.rafagaPorRed}::int), ('bloque', ${rules.rafagaPorBloque}::int)) as r (clase, umbral)
      using (clase)
    cross join lateral (
      -- A vote is sealed after it was cast, so an earlier batch has none of the burst.
      select coalesce(min(numero), 1)::int as lote from lotes l where l.edicion = o.edicion and l.sellado_at >= o.tramo
    ) f
    cross join lateral (
      select coalesce(sum(votos), 0)::int as votos from (
        select count(*) as votos from banda_digital_votes v
        where v.edicion = o.edicion and v.lote >= f.lote and ${BURST_EVIDENCE}
          and case o.clase when 'red' then v.red else v.bloque end = o.origen
          and v.created_at >= o.tramo and v.created_at < o.tramo + interval '10 minutes'
        group by v.red
      ) networks where o.clase = 'red' or votos <= ${rules.rafagaPorRed}::int
    ) e
    where o.edicion = ${edition} and o.tramo = any(${spans}::timestamptz[]) and o.votos > r.umbral
      and e.votos > r.umbral`.execute(db)
  return rows.map(({ clase, lote, ...burst }) => ({
    ...burst,
    clase: `rafaga-${clase}` as const,
    umbral: clase === 'red' ? rules.rafagaPorRed : rules.rafagaPorBloque,
    fromBatch: lote,
  }))
}

/** Flags the votes of an origin: all its votes if the flag is new, or else its votes in this batch. */
async function flagVotes(
  { db, keyed }: Pick<Services, 'db' | 'keyed'>,
  { edicion }: Election,
  { since }: RulesInForce,
  { clase, origen, tramo, umbral, votos, fromBatch }: OriginToFlag,
  batchNumber: number,
  now: Date,
): Promise<void> {
  const row = { edicion, clase, origen, tramo, umbral, al_marcar: votos, at: now }
  const newFlag = await db
    .insertInto('marcas')
    .values({ ...row, firma: signSeal({ keyed }, signedFlagText(row)) })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  const newVotesCondition = newFlag ? sql`v.lote >= ${fromBatch}` : sql`v.lote = ${batchNumber}`
  await sql`
    with newly_flagged as (
      insert into votos_marcados (voto_id, marca_id)
      select v.id, m.id from marcas m, banda_digital_votes v
      where m.edicion = ${edicion} and m.clase = ${clase} and m.origen = ${origen}
        and m.tramo is not distinct from ${tramo}::timestamptz
        and ${newVotesCondition} and ${flagCondition({ clase, origen, tramo }, edicion, since)}
      on conflict do nothing returning voto_id, marca_id
    )
    update marcas set votos = marcas.votos + s.votos, nuevos = marcas.nuevos + s.nuevos
    from (
      select marca_id, count(*)::int as votos, count(*) filter (
        where not exists (select from votos_marcados o where o.voto_id = d.voto_id))::int as nuevos
      from newly_flagged d group by marca_id
    ) s where marcas.id = s.marca_id`.execute(db)
}

/**
 * Lists existing flags on the origins and spans of a batch. A flag gets later votes even if its origin is below the threshold by
 * now: the threshold may have grown, or votes of a block's burst may have turned out to be a network's burst. Flags on mail
 * servers, which earlier versions made, may concern any vote.
 */
async function listEarlierFlags(
  db: Database,
  edition: number,
  sums: readonly CountedOrigin[],
  spans: readonly Date[],
): Promise<OriginToFlag[]> {
  const { rows } = await sql<Omit<OriginToFlag, 'fromBatch'>>`
    select clase, origen, tramo, umbral, votos from marcas m
    where edicion = ${edition} and (clase in ('receptor', 'alojamiento') or tramo = any(${spans}::timestamptz[])
      or (clase, origen) in (
      select * from unnest(${sums.map(({ clase }) => clase)}::text[], ${sums.map(({ origen }) => origen)}::text[])))`.execute(
    db,
  )
  return rows.map((flag) => ({ ...flag, fromBatch: 1 }))
}
