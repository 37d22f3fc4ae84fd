import { sql } from 'kysely'
import { readClock } from '#app/core/db/clock-guard.server.ts'
import type { Database } from '#app/core/db/database.server.ts'

/**
 * Deletes counts without an attempt for two days, counts of codes by the minute after two days, and expired sessions, sign-ins
 * under way, codes and spent proofs (`spendWork`).
 * Deletes nothing while the machine's clock runs ahead, since otherwise all people would be signed out and all limits reset.
 */
export async function sweepExpiredRows(db: Database, machineNow = new Date()): Promise<void> {
  if ((await readClock(db, machineNow)).isAhead) return
  await sql`delete from intentos where ultimo_at < now() - interval '2 days'`.execute(db)
  await sql`delete from sessions where expires_at < now() - interval '1 day'`.execute(db)
  await sql`delete from verifications where expires_at < now() - interval '1 hour'`.execute(db)
  await sql`delete from codigos where vence_at < now()`.execute(db)
  await sql`delete from codigos_por_minuto where minuto < now() - interval '2 days'`.execute(db)
  await sql`delete from antesalas where vence_at < now()`.execute(db)
  await sql`delete from trabajos where hasta < now()`.execute(db)
}
