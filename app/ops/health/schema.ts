/** Data that retention will delete, as announced. */
export interface PlannedDeletion {
  edition: number
  entryCount: number
  /** Number of voters' accounts. */
  accountCount: number
  /** Earliest moment of the deletion. */
  firstDueAt: Date
  /** Moment of the newest announcement. */
  announcedAt: Date
  /** Moment since which an organiser holds the deletion back; undefined if it is not held back. */
  heldAt: Date | undefined
}

/** Level of a finding. `aviso` is a finding that should be looked at, `falla` something that is broken or about to break. */
export type HealthLevel = 'ok' | 'aviso' | 'falla'

/** The finding of a health check. */
export interface Diagnosis {
  /** Id of the check, such as `copias`. */
  de: string
  /** Spanish title of the check. */
  titulo: string
  nivel: HealthLevel
  /** The finding as a Spanish sentence. */
  dice: string
  /** Remedy in Spanish; absent if all is well. */
  remedio?: string | undefined
}

export interface StoredDiagnosis extends Diagnosis {
  /** Moment since which the diagnosis has its level. */
  desde: Date
  /** Moment at which the diagnosis was last stored. */
  seenAt: Date
}
