import type { Role } from '#app/accounts/schema.ts'

/** `activa` has a password and is valid; `invitada` has no password yet; `vencida` expired; `baja` was deactivated. */
export type AccountStatus = 'activa' | 'invitada' | 'vencida' | 'baja'

/** A Person is an account of the press or of the organisers, as the panel lists it. */
export interface Person {
  email: string
  role: Role
  outlet: string | null
  /** The accreditation ends with this day in Mexico City, such as 2025-10-05. */
  lastDay: string | null
  status: AccountStatus
  /** A deactivation was requested by `requestedBy` (email) and takes effect at `surte` (in words). */
  deactivation: { requestedBy: string | null; surte: string } | undefined
  /** The account is the signed-in organiser's own. */
  isOwn: boolean
}

/** A DocumentNotice says why a document cannot be shown; `seBaja`: a download of the original helps. It is sent as JSON. */
export interface DocumentNotice {
  texto: string
  seBaja: boolean
}
