import { asRefusalError as asRefusal, RefusalError as Refusal } from '#app/core/http/refusal.server.ts'
import type { RefusalReason } from './schema.ts'

/** An expected refusal of a registration, or of one of its files, with a reason that schema.ts knows. */
export const RefusalError = Refusal
export type RefusalError = Refusal<RefusalReason>

/** The RefusalError in a caught error, if it is one; every reason of the uploads is a registration's reason, too. */
export const asRefusalError = (error: unknown): RefusalError | undefined => asRefusal(error) as RefusalError | undefined
