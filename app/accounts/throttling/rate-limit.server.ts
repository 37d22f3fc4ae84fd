import { type RawBuilder, sql } from 'kysely'
import type { BackoffLimit, BucketLimit } from '#app/accounts/rules.ts'
import type { Database } from '#app/core/db/database.server.ts'

/**
 * Counts an attempt before it is made, so that a hundred concurrent attempts count as a hundred. The database's clock measures the
 * time, since all processes share the count.
 * @param trace keyed hash of the account, device or network whose attempts are counted
 * @returns 0 if the attempt may be made now; else seconds to wait: the attempt was not counted and must not be made
 */
export async function countAttempt(db: Database, trace: string, limit: BackoffLimit | BucketLimit): Promise<number> {
  const retrySeconds =
    'burst' in limit
      ? (await countByBucket(db, [trace], limit))[0]
      : (await countByBackoff(db, [trace], limit)).get(trace)
  return retrySeconds ?? 0
}

/**
 * Counts one attempt on each of many traces (accounts, devices, networks, or browsers with a mail address).
 * @param traces without duplicates
 * @returns seconds to wait, by trace, for the attempts that may not be made now
 */
export async function countByBackoff(
  db: Database,
  traces: readonly string[],
  { freeAttempts, firstWaitSeconds, maxSeconds, resetSeconds }: BackoffLimit,
): Promise<Map<string, number>> {
  const newCountSql = sql`case when intentos.ultimo_at < now() - make_interval(secs => ${resetSeconds}) then 1 else intentos.cuenta + 1 end`
  // 30 doublings exceed every maximum and stay within a number's range.
  const waitSql = sql`case when ${newCountSql} < ${freeAttempts}::int then 0
    else least(${maxSeconds}::float8, ${firstWaitSeconds}::float8 * 2 ^ least(${newCountSql} - ${freeAttempts}::int, 30)) end`
  // The rows are locked in one order, to avoid deadlocks.
  const { rows } = await sql<{ rastro: string }>`
    insert into intentos (rastro, cuenta, libre_at, ultimo_at)
    select rastro, 1, '-infinity', now() from unnest(${traces}::text[]) as c (rastro) order by rastro
    on conflict (rastro) do update
      set cuenta = ${newCountSql}, ultimo_at = now(),
        -- now() is the transaction's start. While no wait is due libre_at stays as it was: set to now(), it would lie ahead
        -- of a transaction that began earlier, whose attempt would be refused.
        libre_at = case when ${waitSql} = 0 then intentos.libre_at else now() + make_interval(secs => ${waitSql}) end
      where intentos.libre_at <= now()
    returning rastro`.execute(db)
  const countedTraces = new Set(rows.map(({ rastro }) => rastro))
  return readWaits(
    db,
    traces.filter((trace) => !countedTraces.has(trace)),
    sql`interval '0'`,
  )
}

/**
 * Reads the seconds to wait of refused traces, at least 1 each.
 * @param leadIntervalSql how long before `libre_at` attempts may begin
 */
async function readWaits(
  db: Database,
  traces: readonly string[],
  leadIntervalSql: RawBuilder<unknown>,
): Promise<Map<string, number>> {
  if (traces.length === 0) return new Map()
  const { rows } = await sql<{ rastro: string; seconds: number }>`
    select rastro, ceil(extract(epoch from libre_at - ${leadIntervalSql} - now()))::int as seconds
    from intentos where rastro = any(${traces}::text[])`.execute(db)
  const secondsByTrace = new Map(rows.map(({ rastro, seconds }) => [rastro, seconds]))
  return new Map(traces.map((trace) => [trace, Math.max(1, secondsByTrace.get(trace) ?? 1)]))
}

/** Deletes the counts of traces after a proof succeeded; an attempt in a bucket must be refunded instead (`refundTraces`). */
export async function forgetAttempts(db: Database, traces: readonly string[]): Promise<void> {
  await sql`with held as materialized (${lockedRowsSql(traces)}) delete from intentos i using held where i.rastro = held.rastro`.execute(
    db,
  )
}

/** Selects rows and locks them in one order, to avoid deadlocks. */
const lockedRowsSql = (traces: readonly string[]) =>
  sql`select rastro from intentos where rastro = any(${traces}::text[]) order by rastro for update`

/**
 * Counts attempts of traces, each of which may be listed many times. Each trace has a leaky bucket, stored as the moment at which
 * it will have drained (GCRA).
 * @returns seconds to wait, in the order of `traces`; 0 for an attempt that may be made now
 * @source ITU-T I.371, annex A
 */
export async function countByBucket(
  db: Database,
  traces: readonly string[],
  { burst, perSecond }: BucketLimit,
): Promise<number[]> {
  if (traces.length === 0) return []
  const countByTrace = new Map<string, number>()
  for (const trace of traces) countByTrace.set(trace, (countByTrace.get(trace) ?? 0) + 1)
  const drainIntervalSql = sql`make_interval(secs => ${1 / perSecond})`
  const burstIntervalSql = sql`make_interval(secs => ${(burst - 1) / perSecond})`
  const drainedAtSql = sql`greatest(now(), intentos.libre_at)`
  const roomSql = sql`1 + floor(extract(epoch from now() + ${burstIntervalSql} - ${drainedAtSql}) * ${perSecond}::float8)::int`
  const { rows } = await sql<{ rastro: string; cuenta: number }>`
    insert into intentos (rastro, cuenta, libre_at, ultimo_at)
    select rastro, least(times, ${burst}::int), now() + least(times, ${burst}::int) * ${drainIntervalSql}, now()
    from unnest(${[...countByTrace.keys()]}::text[], ${[...countByTrace.values()]}::int[]) as c (rastro, times) order by rastro
    on conflict (rastro) do update
      set cuenta = least(excluded.cuenta, ${roomSql}), libre_at = ${drainedAtSql} + least(excluded.cuenta, ${roomSql}) * ${drainIntervalSql},
        ultimo_at = now()
      where intentos.libre_at <= now() + ${burstIntervalSql}
    returning rastro, cuenta`.execute(db)
  const grantedByTrace = new Map(rows.map(({ rastro, cuenta }) => [rastro, cuenta]))
  const refusedTraces = [...countByTrace]
    .filter(([trace, count]) => (grantedByTrace.get(trace) ?? 0) < count)
    .map(([trace]) => trace)
  const waits = await readWaits(db, refusedTraces, burstIntervalSql)
  return traces.map((trace) => {
    const remaining = grantedByTrace.get(trace) ?? 0
    grantedByTrace.set(trace, remaining - 1)
    return remaining > 0 ? 0 : waits.get(trace)!
  })
}

/** Refunds one attempt: its share of a bucket, or one count of a backoff, whose wait then ends. */
export async function refundAttempt(db: Database, trace: string, limit: BackoffLimit | BucketLimit): Promise<void> {
  if ('burst' in limit) return refundTraces(db, [trace], limit)
  await sql`update intentos set cuenta = greatest(0, cuenta - 1), libre_at = '-infinity' where rastro = ${trace}`.execute(
    db,
  )
}

/**
 * Adds to counts that leak at an even rate and limit nothing by themselves, such as a neighbourhood's unused codes.
 * @param traces each may be listed many times
 */
export async function addToLevels(db: Database, traces: readonly string[], perSecond: number): Promise<void> {
  const addedIntervalSql = sql`excluded.cuenta * make_interval(secs => ${1 / perSecond})`
  await sql`
    insert into intentos (rastro, cuenta, libre_at, ultimo_at)
    select rastro, count(*)::int, now() + count(*) * make_interval(secs => ${1 / perSecond}), now()
    from unnest(${traces}::text[]) as c (rastro) group by rastro order by rastro
    on conflict (rastro) do update
      set cuenta = excluded.cuenta, libre_at = greatest(now(), intentos.libre_at) + ${addedIntervalSql}, ultimo_at = now()`.execute(
    db,
  )
}

/** Reads the current level of each count; counts without a row are left out. */
export async function readLevels(
  db: Database,
  traces: readonly string[],
  perSecond: number,
): Promise<Map<string, number>> {
  const { rows } = await sql<{ rastro: string; level: number }>`
    select rastro, round(greatest(0, extract(epoch from libre_at - now())) * ${perSecond}::float8)::int as level
    from intentos where rastro = any(${traces}::text[])`.execute(db)
  return new Map(rows.map(({ rastro, level }) => [rastro, level]))
}

/** Refunds attempts that `countByBucket` or `addToLevels` has counted; a trace may be listed many times. */
export async function refundTraces(
  db: Database,
  traces: readonly string[],
  { perSecond }: Pick<BucketLimit, 'perSecond'>,
): Promise<void> {
  await sql`
    with held as materialized (${lockedRowsSql(traces)})
    update intentos i set libre_at = libre_at - make_interval(secs => r.times / ${perSecond}::float8)
    from held, (select rastro, count(*) as times from unnest(${traces}::text[]) as c (rastro) group by rastro) as r
    where i.rastro = held.rastro and r.rastro = i.rastro`.execute(db)
}
