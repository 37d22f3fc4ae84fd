import type { Selectable } from 'kysely'
import type { Database } from '#app/platform/database.server.ts'
import type { Tables } from '#app/platform/tables.ts'
import { FIRMADAS } from '#app/popularidad/data.server.ts'
import { hashRecibo } from './cadena.server.ts'
import type { Papeleta } from './cadena.ts'

/** The chain as it stands in the database, read piece by piece, however long it is. */

type Lote = Selectable<Tables['lotes']>
type Voto = Pick<Selectable<Tables['banda_digital_votes']>, 'id' | 'lote' | (typeof FIRMADAS)[number]>

/** Votes that are read at once. */
export const ROWS_AT_ONCE = 5_000
const LOTES_AT_ONCE = 500

/** The chain with the votes of each batch, in its order, from behind a number on. */
export async function* batches(
  db: Database,
  edicion: number,
  behind = 0,
): AsyncGenerator<{ lote: Lote; votos: Voto[] }> {
  for (let after = behind; ; ) {
    const lotes = await db
      .selectFrom('lotes')
      .selectAll()
      .where('edicion', '=', edicion)
      .where('numero', '>', after)
      .orderBy('numero')
      .limit(LOTES_AT_ONCE)
      .execute()
    if (lotes.length === 0) return
    while (lotes.length > 0) {
      let rows = 0
      const some: Lote[] = []
      while (lotes[0] && (some.length === 0 || rows + lotes[0].papeletas <= ROWS_AT_ONCE)) {
        rows += lotes[0].papeletas
        some.push(lotes.shift()!)
      }
      const votos = await db
        .selectFrom('banda_digital_votes')
        .select(['id', 'lote', ...FIRMADAS])
        .where('edicion', '=', edicion)
        .where('lote', '>=', some[0]!.numero)
        .where('lote', '<=', some.at(-1)!.numero)
        .execute()
      const byLote = Map.groupBy(votos, ({ lote }) => lote!)
      for (const lote of some) yield { lote, votos: byLote.get(lote.numero) ?? [] }
      after = some.at(-1)!.numero
    }
  }
}

/** The ballots of the chain, batch by batch from behind a number on, as they stand in the database now. */
export async function* ballots(
  db: Database,
  edicion: number,
  behind = 0,
): AsyncGenerator<{ numero: number; papeletas: Papeleta[] }> {
  for await (const { lote, votos } of batches(db, edicion, behind))
    yield {
      numero: lote.numero,
      papeletas: votos.map(({ recibo, candidata }) => ({ recibo: hashRecibo(recibo), candidata: candidata ?? '' })),
    }
}
