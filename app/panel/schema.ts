import type { Role } from '#app/accounts/schema.ts'

/** Whether an account opens anything: its password is set and holds, is still to be chosen, ran out, was withdrawn. */
export type AccountStatus = 'activa' | 'invitada' | 'vencida' | 'baja'

/** An account of the press or of the organisers, as the panel lists it. */
export interface Person {
  correo: string
  rol: Role
  medio: string | null
  /** Last day of an accreditation, like 2025-10-05, in Mexico City. */
  hasta: string | null
  situacion: AccountStatus
  /** A withdrawal that was asked for: by whom, and when it takes effect. */
  baja: { pedidaPor: string | null; surte: string } | undefined
  /** The one that looks at it. */
  esPropia: boolean
}

/** Why a document cannot be shown, and whether taking its original along helps. */
export interface DocumentNotice {
  texto: string
  seBaja: boolean
}
