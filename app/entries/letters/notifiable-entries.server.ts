import type { Database } from '#app/core/db/database.server.ts'
import { diallablePhone, isNotBeingDeleted } from '#app/entries/data.server.ts'
import { type DocumentKind, documentName, type VoterCardSide } from '#app/entries/definitions/document-kinds.ts'
import type { NotifiableEntry } from '#app/entries/schema.ts'

/**
 * Reads the entries for a notice or a message, each with its latest state change and its open document requests. The newest entry
 * comes first; entries being deleted are left out.
 * @param forUpdate whether the entries' rows are locked against changes and deletion until the caller's transaction ends
 */
export async function listNotifiableEntries(
  db: Database,
  ids: number[],
  { forUpdate = false } = {},
): Promise<NotifiableEntry[]> {
  if (ids.length === 0) return []
  const query = db
    .selectFrom('inscripciones')
    .select(['id', 'tipo', 'folio', 'titular', 'detalle', 'estado', 'correo', 'celular'])
    .select(diallablePhone.as('telefono'))
    .where('id', 'in', ids)
    .where(isNotBeingDeleted)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
  const rows = await (forUpdate ? query.forUpdate() : query).execute()
  if (rows.length === 0) return []
  const foundIds = rows.map(({ id }) => id)
  const [latestChanges, requests] = await Promise.all([
    db
      .selectFrom('cambios')
      .distinctOn('inscripcion_id')
      .select(['inscripcion_id', 'id', 'nota', 'para_persona'])
      .where('inscripcion_id', 'in', foundIds)
      .orderBy('inscripcion_id')
      .orderBy('id', 'desc')
      .execute(),
    db
      .selectFrom('solicitudes')
      .select(['inscripcion_id', 'clase', 'lado', 'nota'])
      .where('inscripcion_id', 'in', foundIds)
      .where('cumplida_at', 'is', null)
      .where('retirada_at', 'is', null)
      .orderBy('id')
      .execute(),
  ])
  return rows.map((row) => {
    const change = latestChanges.find(({ inscripcion_id }) => inscripcion_id === row.id)
    const requestsOfEntry = requests.filter(({ inscripcion_id }) => inscripcion_id === row.id)
    return {
      ...row,
      changeId: change?.id ?? 0,
      note: change?.para_persona ? toOneLine(change.nota ?? '') : '',
      documentRequestsText: requestsOfEntry.map(documentRequestText).join('\n'),
    }
  })
}

const toOneLine = (text: string) => text.replace(/\s+/g, ' ').trim()

const documentRequestText = ({
  clase,
  lado,
  nota,
}: {
  clase: DocumentKind
  lado: VoterCardSide | null
  nota: string
}) => `${documentName(clase, lado)}: ${toOneLine(nota)}`
