import type { Database } from '#app/core/db/database.server.ts'
import { diallablePhone, isNotBeingDeleted } from '#app/entries/data.server.ts'
import { type DocumentKind, documentName, type VoterCardSide } from '#app/entries/definitions/document-kinds.ts'
import type { NotifiableEntry } from '#app/entries/schema.ts'

/**
 * Reads entries as recipients of notices, newest first; deleted entries are left out.
 * @param held locks the entries' rows against changes and deletion until the transaction ends
 */
export async function listNotifiableEntries(db: Database, ids: number[], held?: 'held'): Promise<NotifiableEntry[]> {
  if (ids.length === 0) return []
  const found = db
    .selectFrom('inscripciones')
    .select(['id', 'tipo', 'folio', 'titular', 'detalle', 'estado', 'correo', 'celular'])
    .select(diallablePhone.as('telefono'))
    .where('id', 'in', ids)
    .where(isNotBeingDeleted)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
  const rows = await (held ? found.forUpdate() : found).execute()
  if (rows.length === 0) return []
  const here = rows.map(({ id }) => id)
  const [steps, requests] = await Promise.all([
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
    const step = steps.find(({ inscripcion_id }) => inscripcion_id === row.id)
    const own = requests.filter(({ inscripcion_id }) => inscripcion_id === row.id)
    return {
      ...row,
      changeId: step?.id ?? 0,
      note: step?.para_persona ? oneLine(step.nota ?? '') : '',
      requestedDocuments: own.map(inWords).join('\n'),
    }
  })
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim()

const inWords = ({ clase, lado, nota }: { clase: DocumentKind; lado: VoterCardSide | null; nota: string }) =>
  `${documentName(clase, lado)}: ${oneLine(nota)}`
