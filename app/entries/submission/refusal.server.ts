import { asRefusalError as asRefusal, RefusalError as Refusal } from '#app/core/http/refusal.server.ts'
import type { RefusalReason } from './schema.ts'

/** An expected refusal of a registration, or of one of its files, with a reason that schema.ts knows. */
export const RefusalError = Refusal
export type RefusalError = Refusal<RefusalReason>

/** The refusal in a fault, if it is one; the uploads' reasons are all among the registrations'. */
export const asRefusalError = (error: unknown): RefusalError | undefined => asRefusal(error) as RefusalError | undefined
