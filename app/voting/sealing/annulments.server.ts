import { sql } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import { hashReceipt, hashText } from '#app/voting/chain/seal-hash.server.ts'
import type { RecordedAnnulment } from '#app/voting/record/schema.ts'

/** Lists the ids of the votes that an annulment took out of the count, sorted. */
export const listAnnulledIds = async (db: Database, annulmentId: number): Promise<number[]> => {
  const rows = await db
    .selectFrom('votos_anulados')
    .select('voto_id')
    .where('anulacion_id', '=', annulmentId)
    .orderBy('voto_id')
    .execute()
  return rows.map(({ voto_id }) => voto_id)
}

/** Returns the text that an annulment's signature covers. @param annulment `ids`: the annulled votes, sorted */
export const signedAnnulmentText = (annulment: {
  edicion: number
  motivo: string
  conteo: Record<string, number>
  ids: number[]
  marca_id: number | null
}): string => {
  const counts = Object.entries(annulment.conteo).sort(([a], [b]) => (a < b ? -1 : 1))
  const fields = [annulment.edicion, annulment.motivo, counts, hashText(annulment.ids.join('\n'))]
  // Annulments of earlier versions name no flag.
  return JSON.stringify(['anulación', ...fields, ...(annulment.marca_id === null ? [] : [annulment.marca_id])])
}

interface AnnulmentWithReceipts extends Omit<RecordedAnnulment, 'huella' | 'marca'> {
  /** Null in annulments older than flags. */
  flagId: number | null
  /** Sorted. */
  receiptHashes: string[]
}

/** Lists the annulments with their hashed receipts, as the record's file publishes them. */
export async function listAnnulmentsWithReceipts(db: Database, edition: number): Promise<AnnulmentWithReceipts[]> {
  const rows = await db.selectFrom('anulaciones').selectAll().where('edicion', '=', edition).orderBy('id').execute()
  return Promise.all(
    rows.map(async ({ id, motivo, votos, conteo, marca_id }) => {
      const ids = await listAnnulledIds(db, id)
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
