import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import type { FlagKind, Tables } from '#app/core/db/tables.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { type Election, readRules } from '#app/voting/election/data.server.ts'
import { grownLimit, type Rules } from '#app/voting/election/origin-rules.ts'
import { SPAN_MS, spanOf } from '#app/voting/election/rules.ts'
import { signSeal } from '#app/voting/election/seal-signature.server.ts'
import type { SignedVoteFields } from '#app/voting/election/vote-signature.server.ts'

export type Flag = Selectable<Tables['marcas']>

/** A flag is on an origin, or on the burst of an origin. */
export type FlagTarget = Pick<Flag, 'clase' | 'origen' | 'tramo'>

/** These columns of a sealed vote describe its origin. */
type VoteOrigin = Pick<SignedVoteFields, 'red' | 'bloque' | 'dominio' | 'sospecha' | 'created_at'>

/** `since` is the start of the rules in force: earlier votes are not flagged by rules. */
type RulesInForce = Awaited<ReturnType<typeof readRules>>

/** Returns the text that a flag's signature covers. */
export const flagText = (one: FlagTarget & Pick<Flag, 'edicion' | 'umbral' | 'al_marcar' | 'at'>): string =>
  JSON.stringify([
    'marca',
    ...[one.edicion, one.clase, one.origen, one.tramo?.toISOString() ?? null],
    ...[one.umbral, one.al_marcar, one.at.toISOString()],
  ])

/**
 * Returns the condition for the sealed votes of a flag, the same when it is made, before an annulment and at a recount.
 * @param from the start of the rules in force; undefined: they hold for the whole edition
 * @returns a condition over `banda_digital_votes v`
 */
export function matchOf({ clase, origen, tramo }: FlagTarget, edition: number, from: Date | undefined) {
  const [network = '', host = ''] = origen.split(' ')
  const receives = (receiver: string, hosting: boolean) => sql`v.dominio in (
    select r.dominio from receptores r
    where r.edicion = ${edition} and r.receptor = ${receiver} and r.alojamiento = ${hosting}::boolean)`
  const within = (column: 'red' | 'bloque') => sql`${sql.ref(`v.${column}`)} = ${origen}
    and v.created_at >= ${tramo} and v.created_at < ${tramo && new Date(tramo.getTime() + SPAN_MS)}`
  const which: Record<FlagKind, () => RawBuilder<unknown>> = {
    dominio: () => sql`v.dominio = ${origen}`,
    receptor: () => receives(origen, false),
    alojamiento: () => sql`v.red = ${network} and ${receives(host, true)}`,
    desechable: () => sql`v.sospecha = 'desechable'`,
    servicio: () => sql`v.sospecha = 'servicio'`,
    'rafaga-red': () => within('red'),
    'rafaga-bloque': () => within('bloque'),
    'antes-red': () => sql`v.sospecha = 'red' and v.red = ${origen}`,
    'antes-dominio': () => sql`v.sospecha = 'dominio' and v.dominio = ${origen}`,
  }
  // Votes flagged when they were cast need no later rule.
  const since = from && !/^(antes|desechable|servicio)/.test(clase) ? sql`and v.created_at >= ${from}` : sql``
  return sql`v.edicion = ${edition} and v.lote > 0 and ${which[clase]()} ${since}`
}

/** A counted origin is counted over a whole edition. Networks are counted only for proof of work and display. */
type CountedOrigin = { clase: 'dominio' | 'servicio' | 'desechable' | 'red' | 'bloque'; origen: string }

/** Returns how many votes an origin may have in the whole edition, by the number of sealed votes. */
function limitOf({ clase }: CountedOrigin, rules: Rules, sealed: number): number {
  if (clase === 'desechable') return 0
  if (clase === 'dominio') return grownLimit(rules.dominio, rules, sealed)
  if (clase === 'servicio' && rules.servicio !== undefined) return grownLimit(rules.servicio, rules, sealed)
  return Number.POSITIVE_INFINITY
}

/**
 * Lists the origins for which a vote is counted. A vote is evidence for one rule at most, so that worthless votes never flag
 * others: a vote from a disposable address, an alias service or a private domain counts there and, unlike a vote from a
 * provider's address, in no burst (`EVIDENCE_OF_BURST`).
 */
function originsOf({ red: network, bloque, dominio, sospecha }: VoteOrigin): CountedOrigin[] {
  const origins: CountedOrigin[] = []
  if (network !== null) origins.push({ clase: 'red', origen: network })
  if (bloque !== null) origins.push({ clase: 'bloque', origen: bloque })
  if (sospecha === 'desechable' || sospecha === 'servicio') origins.push({ clase: sospecha, origen: '' })
  else if (dominio !== null) origins.push({ clase: 'dominio', origen: dominio })
  return origins
}

/** The condition over `banda_digital_votes v` selects votes that are evidence of a burst. */
export const EVIDENCE_OF_BURST = sql`v.dominio is null and v.sospecha is null`

/** Counts an edition's sealed votes, from the hourly sums. */
export async function countSealed(db: Database, edition: number): Promise<number> {
  const { rows } = await sql<{ votos: number }>`
    select coalesce(sum(votos), 0)::int as votos from votos_por_hora where edicion = ${edition}`.execute(db)
  return rows[0]!.votos
}

/**
 * Counts the origins of a batch that was just sealed and added to the sums. Flags the batch's votes of flagged origins, and
 * all votes of origins that pass their threshold with this batch. Runs within the transaction that seals the batch.
 */
export async function flagBatch(
  services: Pick<Services, 'db' | 'keyed'>,
  election: Election,
  votes: readonly VoteOrigin[],
  batch: number,
  now: Date,
): Promise<void> {
  const { db } = services
  const { edicion } = election
  const inForce = await readRules(db, election)
  const { rules, since, arePublished } = inForce
  // A vote that began before rules were published flags no origin.
  if (!arePublished) return
  const votesUnderRules = since ? votes.filter(({ created_at }) => created_at >= since) : votes
  const sums = new Map<string, CountedOrigin & { votos: number }>()
  for (const vote of votesUnderRules)
    for (const origin of originsOf(vote)) {
      const key = `${origin.clase} ${origin.origen}`
      const sum = sums.get(key) ?? { ...origin, votos: 0 }
      sum.votos++
      sums.set(key, sum)
    }
  const spans = [...new Set(votesUnderRules.map(({ created_at }) => spanOf(created_at).getTime()))]
    .map((ms) => new Date(ms))
    .filter((span) => !since || span >= since)
  const earlierFlagged = await listFlaggedBefore(db, edicion, [...sums.values()], spans)
  const passedOrigins = await addOrigins(db, edicion, [...sums.values()], batch, rules)
  passedOrigins.push(...(await findBursts(db, edicion, spans, rules)), ...earlierFlagged)
  for (const one of passedOrigins) await addToFlag(services, election, inForce, one, batch, now)
}

interface PassedOrigin extends FlagTarget {
  umbral: number
  votos: number
  /** The number of the first batch that may hold votes of the origin. */
  fromBatch: number
}

/** Adds votes to the origins' totals. @returns origins beyond their threshold, passed with this batch or earlier */
async function addOrigins(
  db: Database,
  edition: number,
  sums: readonly (CountedOrigin & { votos: number })[],
  batch: number,
  rules: Rules,
): Promise<PassedOrigin[]> {
  if (sums.length === 0) return []
  // The rows go in one order, so that statements do not deadlock, and as columns: thousands of single parameters would keep
  // voters waiting.
  const rows = sums.toSorted((a, b) => (`${a.clase} ${a.origen}` < `${b.clase} ${b.origen}` ? -1 : 1))
  const sealed = await countSealed(db, edition)
  const { rows: totals } = await sql<{
    clase: CountedOrigin['clase']
    origen: string
    votos: number
    desde_lote: number
  }>`
    insert into origenes (edicion, clase, origen, votos, desde_lote)
    select ${edition}, *, ${batch}::int from unnest(${rows.map(({ clase }) => clase)}::text[],
      ${rows.map(({ origen }) => origen)}::text[], ${rows.map(({ votos }) => votos)}::int[])
    on conflict (edicion, clase, origen) do update
      set votos = origenes.votos + excluded.votos, desde_lote = least(origenes.desde_lote, excluded.desde_lote)
    returning clase, origen, votos, desde_lote`.execute(db)
  return totals.flatMap(({ clase, origen, votos, desde_lote }) => {
    const umbral = limitOf({ clase, origen }, rules, sealed)
    return votos > umbral
      ? [{ clase: clase as FlagKind, origen, tramo: null, umbral, votos, fromBatch: desde_lote }]
      : []
  })
}

/**
 * Finds the bursts in these spans that pass their threshold with votes that are evidence. Votes of a network's burst are no
 * evidence for a burst of its block.
 */
async function findBursts(
  db: Database,
  edition: number,
  spans: readonly Date[],
  rules: Rules,
): Promise<PassedOrigin[]> {
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
        where v.edicion = o.edicion and v.lote >= f.lote and ${EVIDENCE_OF_BURST}
          and case o.clase when 'red' then v.red else v.bloque end = o.origen
          and v.created_at >= o.tramo and v.created_at < o.tramo + interval '10 minutes'
        group by v.red
      ) networks where o.clase = 'red' or votos <= ${rules.rafagaPorRed}::int
    ) e
    where o.edicion = ${edition} and o.tramo = any(${spans}::timestamptz[]) and o.votos > r.umbral
      and e.votos > r.umbral`.execute(db)
  return rows.map(({ clase, lote, ...one }) => ({
    ...one,
    clase: `rafaga-${clase}` as const,
    umbral: clase === 'red' ? rules.rafagaPorRed : rules.rafagaPorBloque,
    fromBatch: lote,
  }))
}

/** Flags an origin that has passed its threshold: all its votes the first time, later those of this batch. */
async function addToFlag(
  { db, keyed }: Pick<Services, 'db' | 'keyed'>,
  { edicion }: Election,
  { since }: RulesInForce,
  { clase, origen, tramo, umbral, votos, fromBatch }: PassedOrigin,
  batch: number,
  now: Date,
): Promise<void> {
  const row = { edicion, clase, origen, tramo, umbral, al_marcar: votos, at: now }
  const newFlag = await db
    .insertInto('marcas')
    .values({ ...row, firma: signSeal({ keyed }, flagText(row)) })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  const newVotesCondition = newFlag ? sql`v.lote >= ${fromBatch}` : sql`v.lote = ${batch}`
  await sql`
    with dentro as (
      insert into votos_marcados (voto_id, marca_id)
      select v.id, m.id from marcas m, banda_digital_votes v
      where m.edicion = ${edicion} and m.clase = ${clase} and m.origen = ${origen}
        and m.tramo is not distinct from ${tramo}::timestamptz
        and ${newVotesCondition} and ${matchOf({ clase, origen, tramo }, edicion, since)}
      on conflict do nothing returning voto_id, marca_id
    )
    update marcas set votos = marcas.votos + s.votos, nuevos = marcas.nuevos + s.nuevos
    from (
      select marca_id, count(*)::int as votos, count(*) filter (
        where not exists (select from votos_marcados o where o.voto_id = d.voto_id))::int as nuevos
      from dentro d group by marca_id
    ) s where marcas.id = s.marca_id`.execute(db)
}

/**
 * Lists the flags that also take later votes, though their origin may be below its limit by now: the limit may have grown, or
 * evidence for a block's burst may have become a network's burst. Flags by mail server come from earlier versions.
 */
async function listFlaggedBefore(
  db: Database,
  edition: number,
  sums: readonly CountedOrigin[],
  spans: readonly Date[],
): Promise<PassedOrigin[]> {
  const { rows } = await sql<Omit<PassedOrigin, 'fromBatch'>>`
    select clase, origen, tramo, umbral, votos from marcas m
    where edicion = ${edition} and (clase in ('receptor', 'alojamiento') or tramo = any(${spans}::timestamptz[])
      or (clase, origen) in (
      select * from unnest(${sums.map(({ clase }) => clase)}::text[], ${sums.map(({ origen }) => origen)}::text[])))`.execute(
    db,
  )
  return rows.map((one) => ({ ...one, fromBatch: 1 }))
}
