import type { Role } from '#app/accounts/schema.ts'

/** `activa`: has a password and is valid; `invitada`: has no password yet; `vencida`: expired; `baja`: deactivated. */
export type AccountStatus = 'activa' | 'invitada' | 'vencida' | 'baja'

/** An account of the press or of the organisers, as the panel lists it. */
export interface Person {
  email: string
  role: Role
  outlet: string | null
  /** Last day of an accreditation, like 2025-10-05, in Mexico City. */
  lastDay: string | null
  status: AccountStatus
  /** A requested deactivation: the requester, and when it takes effect. */
  deactivation: { pedidaPor: string | null; surte: string } | undefined
  /** Whether the account is the organiser's own. */
  isOwn: boolean
}

/** Why a document cannot be shown, and whether a download of the original helps. */
export interface DocumentNotice {
  texto: string
  seBaja: boolean
}
