/** Data that retention will delete, as announced. */
export interface PlannedDeletion {
  edition: number
  /** Number of entries. */
  entries: number
  /** Number of voters' accounts. */
  accounts: number
  /** Earliest moment of the deletion. */
  from: Date
  /** Moment of the newest announcement. */
  announcedAt: Date
  /** Moment since which an organiser holds the deletion back; undefined: not held back. */
  heldAt: Date | undefined
}

/** Level of a finding: well; to be looked at; broken or about to break. */
export type HealthLevel = 'ok' | 'aviso' | 'falla'

/** The finding of a health check. */
export interface Diagnosis {
  /** Stored id of the check, such as `copias`. */
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
