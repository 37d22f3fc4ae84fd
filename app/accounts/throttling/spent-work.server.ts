import { sql } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import type { TrabajoHecho } from '#app/core/http/proof-of-work.server.ts'

/**
 * Takes work that was done, so that it serves once.
 * @returns which pieces had not served before
 */
export async function spendTrabajos(
  tx: Database,
  hechos: readonly Pick<TrabajoHecho, 'huella' | 'hasta'>[],
): Promise<Set<string>> {
  if (hechos.length === 0) return new Set()
  const { rows } = await sql<{ huella: string }>`
    insert into trabajos (huella, hasta)
    select distinct on (huella) huella, hasta
    from unnest(${hechos.map(({ huella }) => huella)}::text[], ${hechos.map(({ hasta }) => hasta)}::timestamptz[])
      as t (huella, hasta)
    order by huella
    on conflict (huella) do nothing returning huella`.execute(tx)
  return new Set(rows.map(({ huella }) => huella))
}
