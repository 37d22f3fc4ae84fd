/**
 * Keys of the PostgreSQL advisory locks by which the processes of one site exclude each other. The numbers are arbitrary but
 * fixed, since processes of two versions may run at once. Locks of a single edition have its year as their second key.
 * @source https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS
 */
export const ADVISORY_LOCKS = {
  migrate: 7_402_101,
  /**
   * The holder draws up the opening record, moves the opening, seals votes, flags origins, or closes blocks of the published
   * chain.
   */
  seal: 7_402_102,
  /** The holder annuls votes, moves the closing time, or closes the vote. */
  annul: 7_402_103,
  /**
   * Each vote takes the lock shared. The sealing of the closing record and a move of the opening take it exclusively, so that no
   * vote arrives meanwhile. The migration with `votacion_sin_acta` repeats the number.
   */
  vote: 7_402_104,
  /** The holder writes the file of a closing record. */
  writeRecord: 7_402_105,
  /** The holder stores the names of an election's candidates. */
  writeNames: 7_402_106,
  writeDraft: 7_402_107,
  /** The holder prepares or renders a publication. */
  preparePublication: 7_402_108,
  recordPublication: 7_402_109,
  appendFinalRecord: 7_402_130,
  backup: 7_402_131,
  reserveUpload: 7_402_140,
} as const
