import { sql } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import type { VerifiedWork } from '#app/core/http/proof-of-work.server.ts'

/** Spends proofs of work, passkeys' challenges or wait-bypass links. @returns the fingerprints that had not been spent before */
export async function spendWork(
  tx: Database,
  proofs: readonly Pick<VerifiedWork, 'fingerprint' | 'expiresAt'>[],
): Promise<Set<string>> {
  if (proofs.length === 0) return new Set()
  const { rows } = await sql<{ huella: string }>`
    insert into trabajos (huella, hasta)
    select distinct on (huella) huella, hasta
    from unnest(${proofs.map(({ fingerprint }) => fingerprint)}::text[], ${proofs.map(({ expiresAt }) => expiresAt)}::timestamptz[])
      as t (huella, hasta)
    order by huella
    on conflict (huella) do nothing returning huella`.execute(tx)
  return new Set(rows.map(({ huella }) => huella))
}
