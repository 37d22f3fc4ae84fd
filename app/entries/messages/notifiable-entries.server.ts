import type { Database } from '#app/core/db/database.server.ts'
import { noSeBorra, telefonoMarcable } from '#app/entries/data.server.ts'
import { type ClaseDocumento, type LadoCredencial, nombreDeDocumento } from '#app/entries/definitions/document-kinds.ts'
import type { Avisable } from '#app/entries/schema.ts'

/**
 * Entries that somebody may be told of, newest first; those that are gone are left out.
 * @param held whether nobody changes or deletes them until the transaction ends
 */
export async function listAvisables(db: Database, ids: number[], held?: 'held'): Promise<Avisable[]> {
  if (ids.length === 0) return []
  const found = db
    .selectFrom('inscripciones')
    .select(['id', 'tipo', 'folio', 'titular', 'detalle', 'estado', 'correo', 'celular'])
    .select(telefonoMarcable.as('telefono'))
    .where('id', 'in', ids)
    .where(noSeBorra)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
  const rows = await (held ? found.forUpdate() : found).execute()
  if (rows.length === 0) return []
  const here = rows.map(({ id }) => id)
  const [pasos, pedidos] = await Promise.all([
    db
      .selectFrom('cambios')
      .distinctOn('inscripcion_id')
      .select(['inscripcion_id', 'id', 'nota', 'para_persona'])
      .where('inscripcion_id', 'in', here)
      .orderBy('inscripcion_id')
      .orderBy('id', 'desc')
      .execute(),
    db
      .selectFrom('solicitudes')
      .select(['inscripcion_id', 'clase', 'lado', 'nota'])
      .where('inscripcion_id', 'in', here)
      .where('cumplida_at', 'is', null)
      .where('retirada_at', 'is', null)
      .orderBy('id')
      .execute(),
  ])
  return rows.map((row) => {
    const paso = pasos.find(({ inscripcion_id }) => inscripcion_id === row.id)
    const own = pedidos.filter(({ inscripcion_id }) => inscripcion_id === row.id)
    return {
      ...row,
      paso: paso?.id ?? 0,
      nota: paso?.para_persona ? unaLinea(paso.nota ?? '') : '',
      documentos: own.map(enPalabras).join('\n'),
    }
  })
}

const unaLinea = (text: string) => text.replace(/\s+/g, ' ').trim()

const enPalabras = ({ clase, lado, nota }: { clase: ClaseDocumento; lado: LadoCredencial | null; nota: string }) =>
  `${nombreDeDocumento(clase, lado)}: ${unaLinea(nota)}`
