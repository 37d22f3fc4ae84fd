/** A planned deletion is data that retention will delete, as announced. */
export interface PlannedDeletion {
  edition: number
  /** `entries` and `accounts` are the numbers of entries and of voters' accounts. */
  entries: number
  accounts: number
  /** `from` is the earliest moment of the deletion. */
  from: Date
  /** `announcedAt` is the time of the newest announcement. */
  announcedAt: Date
  /** `heldAt` is when an organiser began to hold the deletion back; undefined: not held back. */
  heldAt: Date | undefined
}

/** The levels of a finding mean: well; to be looked at; broken, or about to be. */
export type HealthLevel = 'ok' | 'aviso' | 'falla'

/** A `Diagnosis` is the finding of a health check. */
export interface Diagnosis {
  /** `de` is the stored id of the check, such as `copias`. */
  de: string
  /** `titulo` is the Spanish title of the check. */
  titulo: string
  nivel: HealthLevel
  /** `dice` is one Spanish sentence. */
  dice: string
  /** `remedio` is the remedy in Spanish; absent where all is well. */
  remedio?: string | undefined
}

/** A stored diagnosis also has the time since when the finding has its level. */
export interface StoredDiagnosis extends Diagnosis {
  desde: Date
  seenAt: Date
}
