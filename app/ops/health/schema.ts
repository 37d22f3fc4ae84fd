/** What will be deleted by time, as it was announced. */
export interface PlannedDeletion {
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
export type HealthLevel = 'ok' | 'aviso' | 'falla'

/** One line of how the site is. */
export interface Diagnosis {
  /** Its name for machines, as `copias`. */
  de: string
  /** The same for people. */
  titulo: string
  nivel: HealthLevel
  /** One sentence. */
  dice: string
  /** What to do about it; none where all is well. */
  remedio?: string | undefined
}

/** The same, with since when it is at its level. */
export interface StoredDiagnosis extends Diagnosis {
  desde: Date
  vistoAt: Date
}
