/** A planned deletion is data that retention will delete, as announced. */
export interface PlannedDeletion {
  edition: number
  /** `entries` and `accounts` are the numbers of entries and of voters' accounts. */
  entries: number
  accounts: number
  /** The earliest moment of the deletion. */
  from: Date
  /** The time of the newest announcement. */
  announcedAt: Date
  /** When an organiser began to hold the deletion back; undefined: not held back. */
  heldAt: Date | undefined
}

/** The levels of a finding mean: well; to be looked at; broken, or about to be. */
export type HealthLevel = 'ok' | 'aviso' | 'falla'

/** A `Diagnosis` is the finding of a health check. */
export interface Diagnosis {
  /** The stored id of the check, such as `copias`. */
  de: string
  /** The Spanish title of the check. */
  titulo: string
  nivel: HealthLevel
  /** One Spanish sentence. */
  dice: string
  /** The remedy in Spanish; absent where all is well. */
  remedio?: string | undefined
}

/** A stored diagnosis also has the time since when the finding has its level. */
export interface StoredDiagnosis extends Diagnosis {
  desde: Date
  seenAt: Date
}
