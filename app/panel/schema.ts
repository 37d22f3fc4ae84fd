import type { Rol } from '#app/accounts/schema.ts'

/** Whether an account opens anything: its password is set and holds, is still to be chosen, ran out, was withdrawn. */
export type SituacionDePersona = 'activa' | 'invitada' | 'vencida' | 'baja'

/** An account of the press or of the organisers, as the panel lists it. */
export interface Persona {
  correo: string
  rol: Rol
  medio: string | null
  /** Last day of an accreditation, like 2025-10-05, in Mexico City. */
  hasta: string | null
  situacion: SituacionDePersona
  /** A withdrawal that was asked for: by whom, and when it takes effect. */
  baja: { pedidaPor: string | null; surte: string } | undefined
  /** The one that looks at it. */
  esPropia: boolean
}

/** Why a document cannot be shown, and whether taking its original along helps. */
export interface AvisoDeDocumento {
  texto: string
  seBaja: boolean
}
