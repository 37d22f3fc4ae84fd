import type { FieldFault } from '#app/cms/schema/faults.ts'
import type { ReceivedDocument } from './draft-state.ts'

/** Answers a form that asks for others' changes, and may have sent a document. */
export interface SyncResponse {
  ok: true
  /** The sent document has this version; null where it was not saved, since the page had not seen its latest change. */
  guardado: string | null
  /** These documents changed since the versions that the page named. */
  documentos: Record<string, ReceivedDocument>
  /** The stored draft has these faults in this screen's fields. */
  fallas: FieldFault[]
  /** The site's clock shows this many milliseconds since 1970. */
  ahora: number
}

/** After this answer nothing was saved. */
export interface SaveRefusal {
  ok: false
  reason: 'sesion' | 'peticion' | 'sin-espacio' | 'lleno'
  mensaje: string
}

export const DRAFT_FULL_MESSAGE = 'Esta pantalla tiene demasiado texto para guardarse: acórtalo, o quita lo que sobre.'
