import { asRechazo as asRefusal, Rechazo as Refusal } from '#app/core/http/refusal.server.ts'
import type { MotivoRechazo } from './schema.ts'

/** An expected refusal of a registration, or of one of its files, with a reason that schema.ts knows. */
export const Rechazo = Refusal
export type Rechazo = Refusal<MotivoRechazo>

/** The refusal in a fault, if it is one; the uploads' reasons are all among the registrations'. */
export const asRechazo = (error: unknown): Rechazo | undefined => asRefusal(error) as Rechazo | undefined
