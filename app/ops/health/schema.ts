/** Data that retention will delete, as announced. */
export interface PlannedDeletion {
  edition: number
  /** Number of entries, and of voters' accounts. */
  entries: number
  accounts: number
  /** The earliest moment of the deletion. */
  from: Date
  /** Time of the newest announcement. */
  announcedAt: Date
  /** Since when an organiser holds the deletion back; undefined: not held back. */
  heldAt: Date | undefined
}

/** Level of a finding: well; to be looked at; broken, or about to be. */
export type HealthLevel = 'ok' | 'aviso' | 'falla'

/** The finding of a health check. */
export interface Diagnosis {
  /** Stored id of the check, such as `copias`. */
  de: string
  /** Spanish title of the check. */
  titulo: string
  nivel: HealthLevel
  /** One Spanish sentence. */
  dice: string
  /** Remedy in Spanish; absent where all is well. */
  remedio?: string | undefined
}

/** A finding as stored, with the time since when it has its level. */
export interface StoredDiagnosis extends Diagnosis {
  desde: Date
  seenAt: Date
}
