import type { PublicationResult } from '#app/cms/publishing/mutations.server.ts'
import type { FieldFault } from '#app/cms/schema/faults.ts'
import { DISK_FULL_MESSAGE, DISK_FULL_STATUS } from '#app/core/uploads/disk-space.server.ts'

type Refusal = Extract<PublicationResult, { ok: false }> | { ok: false; reason: 'sin-espacio' }

/** Messages of a screen that publishes, for the reasons whose remedy depends on the screen. */
export type RefusalMessages = Record<'unchanged' | 'unopened' | 'faults' | 'reserved' | 'unknown', string>

const STATUS_BY_REASON: Record<Refusal['reason'], number> = {
  busy: 409,
  version: 409,
  unchanged: 409,
  unopened: 409,
  faults: 422,
  closing: 422,
  reserved: 403,
  unknown: 404,
  'sin-espacio': DISK_FULL_STATUS,
}

/** Returns why nothing was published, with the HTTP status and the faults that must be mended first. */
export const explainRefusal = (
  refusal: Refusal,
  messages: RefusalMessages,
): { message: string; status: number; faults: readonly FieldFault[] } => ({
  message: messageOf(refusal, messages),
  status: STATUS_BY_REASON[refusal.reason],
  faults: refusal.reason === 'faults' ? refusal.faults : [],
})

function messageOf(refusal: Refusal, messages: RefusalMessages): string {
  switch (refusal.reason) {
    case 'busy':
      return `${refusal.author ?? 'Alguien'} está publicando en este momento. Espera a que termine y repítelo.`
    case 'version':
      return 'Mientras revisabas, alguien cambió el borrador. Aquí está como quedó: revísalo y repítelo.'
    case 'closing':
      return refusal.remedy
    case 'sin-espacio':
      return DISK_FULL_MESSAGE
    default:
      return messages[refusal.reason]
  }
}
