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

/** A stored diagnosis, with the moment since which it has its level (`desde`). */
export interface StoredDiagnosis extends Diagnosis {
  desde: Date
  seenAt: Date
}
