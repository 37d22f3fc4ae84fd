import { sql } from 'kysely'
import { readEditionSettings } from '#app/cms/edition-settings/data.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { readMailUsage } from '#app/mail/data.server.ts'
import { remainingCodes } from '#app/mail/rules.ts'
import { type CodeCounts, isCodeAlarm } from './rules.ts'
import type { Role } from './schema.ts'

export interface RoleAccount {
  email: string
  role: Role
  /** Outlet of a journalist; null without one. */
  outlet: string | null
  /** End of the account by the site's clock; null without an end. */
  validUntil: Date | null
  deactivatedAt: Date | null
  /** Whether the account has a password; a judge, a deactivated account and a person who has not used the invitation have none. */
  hasPassword: boolean
}

/** Lists all accounts that have a role, judges' accounts included; deactivated accounts come last. */
export async function listAccounts(db: Database): Promise<RoleAccount[]> {
  const rows = await db
    .selectFrom('profiles')
    .select(['email', 'role', 'medio', 'vigente_hasta', 'baja_at'])
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('accounts')
          .select('accounts.id')
          .whereRef('accounts.user_id', '=', 'profiles.id')
          .where('provider_id', '=', 'credential'),
      ).as('has_password'),
    )
    .where('role', 'is not', null)
    .orderBy('baja_at', (order) => order.asc().nullsFirst())
    .orderBy('role')
    .orderBy('email')
    .execute()
  return rows.map(({ email, role, medio, vigente_hasta, baja_at, has_password }) => ({
    email,
    role: role!,
    outlet: medio,
    validUntil: vigente_hasta,
    deactivatedAt: baja_at,
    hasPassword: Boolean(has_password),
  }))
}

/**
 * Counts the codes that were sent 13 to 3 minutes ago, since people need time to read their mail, and those that were used or
 * mistyped in the last 13 minutes.
 */
export async function readCodeCounts(db: Database): Promise<CodeCounts> {
  const { rows } = await sql<CodeCounts>`
    select coalesce(sum(enviados) filter (where minuto <= now() - interval '3 minutes'), 0)::int as sent,
      coalesce(sum(usados), 0)::int as used, coalesce(sum(fallos), 0)::int as failed
    from codigos_por_minuto where minuto > now() - interval '13 minutes'`.execute(db)
  return rows[0]!
}

/** Returns the counts of recent codes if `isCodeAlarm` is true for them; undefined while people use their codes as usual. */
export async function readUnusedCodes(db: Database): Promise<{ sent: number; used: number } | undefined> {
  const { sent, used, failed } = await readCodeCounts(db)
  return isCodeAlarm({ sent, used, failed }) ? { sent, used } : undefined
}

/** Stands in for the usage without a quota, for which no mail need be counted. */
const NO_USAGE = { codes: 0, unprovenCodes: 0, receipts: 0, others: 0 }

/** Returns how many more codes the day's mail quota allows: `codes` in all, `unprovenCodes` of them for unproven requests. */
export async function readRemainingCodes(tx: Database) {
  const { 'correo.cuota': quota } = await readEditionSettings(tx)
  return remainingCodes(quota, quota === undefined ? NO_USAGE : await readMailUsage(tx))
}
