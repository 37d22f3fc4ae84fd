/**
 * The processes of one site exclude each other by these keys of PostgreSQL's advisory locks. The numbers are arbitrary but fixed,
 * since processes of two versions may run at once.
 * @source https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS
 */
export const ADVISORY_LOCKS = {
  /** The holder applies migrations. */
  migrate: 7_402_101,
  /** The holder seals votes, flags origins, or closes blocks of the published chain. The lock's second key is the year. */
  seal: 7_402_102,
  /** The holder annuls votes, or moves or performs the closing of the contest. */
  annul: 7_402_103,
  /**
   * Each vote holds the lock shared; it is held exclusively while the record is drawn up. The migration with `votacion_sin_acta`
   * names the number, too.
   */
  vote: 7_402_104,
  /** The holder writes the record's file. */
  writeRecord: 7_402_105,
  /** The holder writes the candidates' names. */
  writeNames: 7_402_106,
  /** The holder writes an edition's draft. The lock's second key is the year. */
  writeDraft: 7_402_107,
  /** The holder records publications. */
  recordPublication: 7_402_109,
  /** The holder prepares a publication for display. */
  preparePublication: 7_402_108,
  /** The holder makes a backup. */
  backup: 7_402_131,
  /** The holder reserves space for an upload. */
  reserveUpload: 7_402_140,
  /** The holder appends to the record of a final. The lock's second key is the year. */
  appendFinal: 7_402_130,
} as const
