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
  outlet: string | null
  validUntil: Date | null
  deactivatedAt: Date | null
  /** False for a judge, a deactivated account, and an invited person who has not used the mailed link. */
  hasPassword: boolean
}

/** Returns all accounts that have a role, judges' accounts included; deactivated accounts come last. */
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
      ).as('tiene_clave'),
    )
    .where('role', 'is not', null)
    .orderBy('baja_at', (order) => order.asc().nullsFirst())
    .orderBy('role')
    .orderBy('email')
    .execute()
  return rows.map(({ email, role, medio, vigente_hasta, baja_at, tiene_clave }) => ({
    email,
    role: role!,
    outlet: medio,
    validUntil: vigente_hasta,
    deactivatedAt: baja_at,
    hasPassword: Boolean(tiene_clave),
  }))
}

/**
 * Counts the codes of the last 13 minutes. Sent codes count only after three minutes, since people are still reading
 * their mail.
 */
export async function readCodeCounts(db: Database): Promise<CodeCounts> {
  const { rows } = await sql<CodeCounts>`
    select coalesce(sum(enviados) filter (where minuto <= now() - interval '3 minutes'), 0)::int as enviados,
      coalesce(sum(usados), 0)::int as usados, coalesce(sum(fallos), 0)::int as fallos
    from codigos_por_minuto where minuto > now() - interval '13 minutes'`.execute(db)
  return rows[0]!
}

/** Returns the counts of recent codes while `isCodeAlarm` holds, and undefined while people use their codes as usual. */
export async function readUnusedCodes(db: Database): Promise<{ enviados: number; usados: number } | undefined> {
  const codes = await readCodeCounts(db)
  return isCodeAlarm(codes) ? { enviados: codes.enviados, usados: codes.usados } : undefined
}

const NO_USAGE = { codes: 0, unprovenCodes: 0, receipts: 0, others: 0 }

/** Returns how many more codes the day's mail quota allows: `codes` in all, `unprovenCodes` of them for unproven requests. */
export async function readRemainingCodes(tx: Database) {
  const { 'correo.cuota': quota } = await readEditionSettings(tx)
  return remainingCodes(quota, quota === undefined ? NO_USAGE : await readMailUsage(tx))
}
