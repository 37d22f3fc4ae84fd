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

/** Returns the text that an annulment's signature covers. @param annulment with the annulled votes' ids, sorted */
export const signedAnnulmentText = (annulment: {
  edicion: number
  motivo: string
  conteo: Record<string, number>
  ids: number[]
  marca_id: number | null
}): string => {
  const counts = Object.entries(annulment.conteo).sort(([a], [b]) => (a < b ? -1 : 1))
  const fields = [annulment.edicion, annulment.motivo, counts, hashText(annulment.ids.join('\n'))]
  // Annulments of versions without flags name no flag.
  return JSON.stringify(['anulación', ...fields, ...(annulment.marca_id === null ? [] : [annulment.marca_id])])
}

interface AnnulmentWithReceipts extends Omit<RecordedAnnulment, 'huella' | 'marca'> {
  /** Id of the annulled flag; null in annulments of versions without flags. */
  flagId: number | null
  /** The hashes are sorted, since the record's `huella` is a hash over them in this order. */
  receiptHashes: string[]
}

/** Lists an edition's annulments with the hashes of the annulled votes' receipts, as the record's file publishes them. */
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
