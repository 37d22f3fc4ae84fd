import { sql } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import { hashReceipt, hashText } from '#app/voting/chain/block-seal.server.ts'
import type { RecordedAnnulment } from '#app/voting/record/schema.ts'

/** Returns the ids of the votes that an annulment took out of the count, sorted. */
export const annulledIds = async (db: Database, annulmentId: number): Promise<number[]> => {
  const rows = await db
    .selectFrom('votos_anulados')
    .select('voto_id')
    .where('anulacion_id', '=', annulmentId)
    .orderBy('voto_id')
    .execute()
  return rows.map(({ voto_id }) => voto_id)
}

/** Returns the text that an annulment's signature covers. @param one its `ids` must be sorted */
export const annulmentText = (one: {
  edicion: number
  motivo: string
  conteo: Record<string, number>
  ids: number[]
  marca_id: number | null
}): string => {
  const counts = Object.entries(one.conteo).sort(([a], [b]) => (a < b ? -1 : 1))
  const which = [one.edicion, one.motivo, counts, hashText(one.ids.join('\n'))]
  // Annulments of earlier versions name no flag.
  return JSON.stringify(['anulación', ...which, ...(one.marca_id === null ? [] : [one.marca_id])])
}

interface AnnulmentWithReceipts extends Omit<RecordedAnnulment, 'huella' | 'marca'> {
  /** Null in annulments from before flags existed. */
  flagId: number | null
  /** `receiptHashes` are sorted. */
  receiptHashes: string[]
}

/** Returns the annulments with their hashed receipts, as the file publishes them. */
export async function annulmentsOf(db: Database, edition: number): Promise<AnnulmentWithReceipts[]> {
  const rows = await db.selectFrom('anulaciones').selectAll().where('edicion', '=', edition).orderBy('id').execute()
  return Promise.all(
    rows.map(async ({ id, motivo, votos, conteo, marca_id }) => {
      const ids = await annulledIds(db, id)
      const { rows: receiptRows } = await sql<{ recibo: string | null }>`
        select recibo from banda_digital_votes where id = any(${ids}::bigint[])`.execute(db)
      return {
        flagId: marca_id,
        motivo,
        votos,
        conteo,
        receiptHashes: receiptRows.map(({ recibo }) => hashReceipt(recibo)).sort(),
      }
    }),
  )
}
