import type { FieldFault } from '#app/cms/schema/faults.ts'
import type { ReceivedDocument } from './draft-state.ts'

/** Response, as JSON, to a form that asks for other people's changes and may have sent a document. */
export interface SyncResponse {
  ok: true
  /** Version of the saved document; null if none was sent, or if the page had not seen its latest change. */
  guardado: string | null
  /** Documents that changed since the versions that the page named. */
  documentos: Record<string, ReceivedDocument>
  /** Faults of this screen's fields in the stored draft. */
  fallas: FieldFault[]
  /** Number of changes of the edition that are not published. */
  cambios: number
  /** The site's time in milliseconds since 1970. */
  ahora: number
}

/** Response, as JSON, after which nothing was saved. */
export interface SaveRefusal {
  ok: false
  /** `peticion`: unknown screen, edition or change; `sin-espacio`: the disk is full; `lleno`: the document is too large. */
  reason: 'sesion' | 'peticion' | 'sin-espacio' | 'lleno'
  mensaje: string
}

export const DRAFT_FULL_MESSAGE = 'Esta pantalla tiene demasiado texto para guardarse: acórtalo, o quita lo que sobre.'
