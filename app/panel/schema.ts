import type { Role } from '#app/accounts/schema.ts'

/** An account is `active` with a password, `invited` before it has one, `expired` after its last day, or `deactivated`. */
export type AccountStatus = 'active' | 'invited' | 'expired' | 'deactivated'

/** A Person is an account of the press or of the organisers, as the panel lists it. */
export interface Person {
  email: string
  role: Role
  outlet: string | null
  /** The accreditation ends with this day in Mexico City, such as 2025-10-05. */
  lastDay: string | null
  status: AccountStatus
  /** A deactivation was requested by `requestedBy` (email), and takes effect at `effectiveAtText` (in words). */
  deactivation: { requestedBy: string | null; effectiveAtText: string } | undefined
  /** The account is the signed-in organiser's own. */
  isOwn: boolean
}

/** A DocumentNotice says why a document cannot be shown; `seBaja`: a download of the original helps. It is sent as JSON. */
export interface DocumentNotice {
  texto: string
  seBaja: boolean
}
