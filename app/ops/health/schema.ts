/** What will be deleted by time, as it was announced. */
export interface BorradoPrevisto {
  edicion: number
  /** How many entries, and accounts of voters. */
  inscripciones: number
  cuentas: number
  /** The first moment at which something goes. */
  desde: Date
  /** When the newest of it was announced. */
  anunciadoAt: Date
  /** Since when somebody holds it; undefined: nobody. */
  detenidoAt: Date | undefined
}

/** How something stands: well; to be looked at; broken, or about to be. */
export type Nivel = 'ok' | 'aviso' | 'falla'

/** One line of how the site is. */
export interface Diagnostico {
  /** Its name for machines, as `copias`. */
  de: string
  /** The same for people. */
  titulo: string
  nivel: Nivel
  /** One sentence. */
  dice: string
  /** What to do about it; none where all is well. */
  remedio?: string | undefined
}

/** The same, with since when it is at its level. */
export interface DiagnosticoGuardado extends Diagnostico {
  desde: Date
  vistoAt: Date
}
