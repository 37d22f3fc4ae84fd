import { DEACTIVATION_HOURS } from '#app/accounts/rules.ts'
import { type Actor, writeAuditLog } from '#app/audit/mutations.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { HOUR_MS } from '#app/core/time/durations.ts'
import { type AccountChangeResult, deactivateLockedAccount, withLockedAccount } from './mutations.server.ts'

export interface Deactivation {
  email: string
  /** Email of the organiser who asked for the deactivation; null if that account is gone. */
  requestedBy: string | null
  effectiveAt: Date
}

/**
 * Deactivates an `admin` after DEACTIVATION_HOURS, within which any `admin` can stop the deactivation, so that a stolen session
 * cannot lock the committee out of its site. Deactivates every other account at once.
 * @param now the site's clock
 * @returns when the deactivation takes effect: `now` for every account but an `admin`'s; or the refusal
 */
export async function requestDeactivation(
  db: Database,
  email: string,
  now: Date,
  actor: Actor & { quien: string },
): Promise<AccountChangeResult<{ effectiveAt: Date }>> {
  let effectiveAt = now
  const changeResult = await withLockedAccount(db, email, async (tx, account) => {
    if (account.role !== 'admin') return deactivateLockedAccount(tx, account, now, actor)
    if (account.isLastAdmin) return 'lastAdmin'
    effectiveAt = new Date(now.getTime() + DEACTIVATION_HOURS * HOUR_MS)
    const insertedRow = await tx
      .insertInto('bajas')
      .values({ user_id: account.id, pedida_por: actor.quien, pedida_at: now, surte_at: effectiveAt })
      .onConflict((conflict) => conflict.doNothing())
      .returning('user_id')
      .executeTakeFirst()
    if (!insertedRow) return 'alreadyRequested'
    await writeAuditLog(tx, actor, { que: 'cuenta.baja.pedida', cuenta: account.id })
    return undefined
  })
  return changeResult.ok ? { ok: true, effectiveAt } : changeResult
}

/** Stops a requested deactivation; without a request, the refusal is `unknown`. */
export const cancelDeactivation = (db: Database, email: string, actor: Actor): Promise<AccountChangeResult> =>
  withLockedAccount(db, email, async (tx, { id }) => {
    const deletedRow = await tx.deleteFrom('bajas').where('user_id', '=', id).returning('user_id').executeTakeFirst()
    if (!deletedRow) return 'unknown'
    await writeAuditLog(tx, actor, { que: 'cuenta.baja.detenida', cuenta: id })
    return undefined
  })

/** Lists the requested deactivations that have not taken effect. */
export async function listDeactivations(db: Database): Promise<Deactivation[]> {
  const rows = await db
    .selectFrom('bajas')
    .innerJoin('profiles', 'profiles.id', 'bajas.user_id')
    .leftJoin('profiles as requester', 'requester.id', 'bajas.pedida_por')
    .select(['profiles.email', 'requester.email as requested_by', 'surte_at'])
    .where('profiles.baja_at', 'is', null)
    .execute()
  return rows.map(({ email, requested_by, surte_at }) => ({ email, requestedBy: requested_by, effectiveAt: surte_at }))
}

/** Carries out due deactivations, each once over all processes. The last `admin` stays, and the request is deleted. */
export async function applyDeactivations({ db, clock }: Pick<Services, 'db' | 'clock'>): Promise<void> {
  const now = clock.now()
  const dueRows = await db
    .selectFrom('bajas')
    .innerJoin('profiles', 'profiles.id', 'bajas.user_id')
    .select(['user_id', 'profiles.email', 'pedida_por'])
    .where('surte_at', '<=', now)
    .execute()
  for (const { user_id, email, pedida_por } of dueRows)
    await withLockedAccount(db, email, async (tx, account) => {
      const deletedRow = await tx
        .deleteFrom('bajas')
        .where('user_id', '=', user_id)
        .returning('user_id')
        .executeTakeFirst()
      // Without a row, the deactivation was stopped meanwhile, or another process has carried it out.
      if (!deletedRow) return undefined
      const actor = { quien: pedida_por, desde: 'sitio' }
      const refusal = await deactivateLockedAccount(tx, account, now, actor)
      if (refusal) await writeAuditLog(tx, actor, { que: 'cuenta.baja.detenida', cuenta: user_id })
      return refusal
    })
}
