import { sql } from 'kysely'
import type { Database } from '#app/platform/database.server.ts'
import type { Limite, Ritmo } from './rules.ts'

/**
 * Counts an attempt before it is made, so that a hundred at once are a hundred. Time is the database's: every instance
 * shares the count.
 * @param clave keyed hash of what is counted
 * @returns seconds to wait, and the attempt is not to be made; 0: go on
 */
export async function countIntento(db: Database, clave: string, limite: Limite | Ritmo): Promise<number> {
  if ('rafaga' in limite) return countRitmo(db, clave, limite)
  const { libres, seconds, maxSeconds, olvidoSeconds } = limite
  const cuenta = sql`case when intentos.ultimo_at < now() - make_interval(secs => ${olvidoSeconds}) then 1 else intentos.cuenta + 1 end`
  // 30 doublings pass every maximum and no number's range.
  const wait = sql`case when ${cuenta} < ${libres}::int then 0
    else least(${maxSeconds}::float8, ${seconds}::float8 * 2 ^ least(${cuenta} - ${libres}::int, 30)) end`
  const { rows } = await sql<{ cuenta: number }>`
    insert into intentos (clave, cuenta, libre_at, ultimo_at) values (${clave}, 1, '-infinity', now())
    on conflict (clave) do update
      set cuenta = ${cuenta}, ultimo_at = now(),
        -- Of two at the same moment, the one that began earlier must not find the other in its future.
        libre_at = case when ${wait} = 0 then intentos.libre_at else now() + make_interval(secs => ${wait}) end
      where intentos.libre_at <= now()
    returning cuenta`.execute(db)
  if (rows.length > 0) return 0
  const { rows: held } = await sql<{ seconds: number }>`
    select ceil(extract(epoch from libre_at - now()))::int as seconds from intentos where clave = ${clave}`.execute(db)
  return Math.max(1, held[0]?.seconds ?? 1)
}

/** It was the right person: the account's count begins again. */
export async function forgetIntentos(db: Database, clave: string): Promise<void> {
  await db.deleteFrom('intentos').where('clave', '=', clave).execute()
}

/**
 * A bucket that fills at an even rate, kept as the moment at which it will be full again (GCRA).
 * @source ITU-T I.371, annex A
 */
async function countRitmo(db: Database, clave: string, { rafaga, porSegundo }: Ritmo): Promise<number> {
  const step = sql`make_interval(secs => ${1 / porSegundo})`
  const reach = sql`make_interval(secs => ${(rafaga - 1) / porSegundo})`
  const { rows } = await sql<{ cuenta: number }>`
    insert into intentos (clave, cuenta, libre_at, ultimo_at) values (${clave}, 1, now() + ${step}, now())
    on conflict (clave) do update
      set cuenta = 1, libre_at = greatest(now(), intentos.libre_at) + ${step}, ultimo_at = now()
      where intentos.libre_at <= now() + ${reach}
    returning cuenta`.execute(db)
  if (rows.length > 0) return 0
  const { rows: held } = await sql<{ seconds: number }>`
    select ceil(extract(epoch from libre_at - ${reach} - now()))::int as seconds
    from intentos where clave = ${clave}`.execute(db)
  return Math.max(1, held[0]?.seconds ?? 1)
}

/** It was the right person: what the network was charged is given back. */
export async function refundIntento(db: Database, clave: string, limite: Limite | Ritmo): Promise<void> {
  if ('rafaga' in limite)
    await sql`update intentos set libre_at = libre_at - make_interval(secs => ${1 / limite.porSegundo})
      where clave = ${clave}`.execute(db)
  else
    await sql`update intentos set cuenta = greatest(0, cuenta - 1), libre_at = '-infinity' where clave = ${clave}`.execute(
      db,
    )
}

/** Takes away what time has made meaningless. */
export async function sweepCuentas(db: Database): Promise<void> {
  await sql`delete from intentos where ultimo_at < now() - interval '2 days'`.execute(db)
  await sql`delete from sessions where expires_at < now() - interval '1 day'`.execute(db)
  await sql`delete from verifications where expires_at < now() - interval '1 day'`.execute(db)
}
