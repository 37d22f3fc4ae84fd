import { asRefusalError as asRefusal, RefusalError as Refusal } from '#app/core/http/refusal.server.ts'
import type { RefusalReason } from './schema.ts'

/** A RefusalError refuses a registration or one of its files, for a reason that schema.ts lists. */
export const RefusalError = Refusal
export type RefusalError = Refusal<RefusalReason>

/** Returns a caught error if it is a refusal, else undefined. Every reason of the uploads is a registration's reason, too. */
export const asRefusalError = (error: unknown): RefusalError | undefined => asRefusal(error) as RefusalError | undefined
