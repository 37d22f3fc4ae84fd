import type { Actor } from '#app/audit/mutations.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import type { EntryType } from '#app/entries/definitions/document-kinds.ts'
import { applyTransition } from '#app/entries/states/transition.server.ts'

/** Plan of a document that answers a document request and replaces an earlier document; the journal stores it with these keys. */
export interface ReplacementPlan {
  que: 'reposicion'
  inscripcion: number
  solicitud: number
  /** Current paths when the plan was made; if one has changed since, nothing is stored. */
  antes: { documento: string; metadata: string }
}

/** Actor of entrants in the audit log, who need no account to send a requested document. */
const ENTRANT: Actor = { quien: null, desde: 'folio' }

/**
 * Closes a document request, marks the replaced document and records the path of the new metadata, within the caller's transaction;
 * the caller inserts the new document. Once the last open request is closed, the entry returns to «en revisión».
 * @returns false if the entry is gone, another change was first, or the request was withdrawn; the caller must then roll back
 */
export async function retireReplacedDocument(
  tx: Database,
  { tipo, inscripcion: entryId, solicitud, antes }: ReplacementPlan & { tipo: EntryType },
  metadataPath: string,
  receivedAt: Date,
): Promise<boolean> {
  const entry = await tx
    .selectFrom('inscripciones')
    .select('estado')
    .where('id', '=', entryId)
    .forUpdate()
    .executeTakeFirst()
  if (entry === undefined) return false
  const requestUpdate = await tx
    .updateTable('solicitudes')
    .set({ cumplida_at: receivedAt })
    .where('id', '=', solicitud)
    .where('cumplida_at', 'is', null)
    .where('retirada_at', 'is', null)
    .executeTakeFirstOrThrow()
  const documentUpdate = await tx
    .updateTable('documentos')
    .set({ reemplazado_at: receivedAt })
    .where('inscripcion_id', '=', entryId)
    .where('path', '=', antes.documento)
    .where('reemplazado_at', 'is', null)
    .executeTakeFirstOrThrow()
  const metadataUpdate = await tx
    .updateTable(FORMS[tipo].table)
    .set({ metadata_path: metadataPath })
    .where('inscripcion_id', '=', entryId)
    .where('metadata_path', '=', antes.metadata)
    .executeTakeFirstOrThrow()
  // If any row was not updated, another change was first.
  if ([requestUpdate, documentUpdate, metadataUpdate].some(({ numUpdatedRows }) => numUpdatedRows !== 1n)) return false
  const openRequest = await tx
    .selectFrom('solicitudes')
    .select('id')
    .where('inscripcion_id', '=', entryId)
    .where('cumplida_at', 'is', null)
    .where('retirada_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  const { estado } = entry
  const keepsState = openRequest !== undefined || estado === 'en-revision'
  await applyTransition(
    tx,
    { id: entryId, at: receivedAt },
    keepsState ? undefined : { from: estado, to: 'en-revision', note: null },
    ENTRANT,
  )
  return true
}
