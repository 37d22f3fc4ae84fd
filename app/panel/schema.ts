import type { Role } from '#app/accounts/schema.ts'

/** An account is `active` with a password, `invited` before it has one, `expired` after its last day, or `deactivated`. */
export type AccountStatus = 'active' | 'invited' | 'expired' | 'deactivated'

/** An account of a journalist or an organiser, as the panel lists it. */
export interface PanelAccount {
  email: string
  role: Role
  /** Outlet of a journalist; null without one. */
  outlet: string | null
  /** Last day of the accreditation in Mexico City, such as 2025-10-05; null without one. */
  lastDay: string | null
  status: AccountStatus
  /** Requested deactivation; `requestedBy` is an email address, null if that account is gone. */
  deactivation: { requestedBy: string | null; effectiveAtText: string } | undefined
  /** Whether the account is the signed-in organiser's own. */
  isOwn: boolean
}

/** Message of the viewer, as JSON, about a document that did not load; with `seBaja` it links to the original's download. */
export interface DocumentNotice {
  texto: string
  seBaja: boolean
}
