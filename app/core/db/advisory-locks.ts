/**
 * Keys of PostgreSQL's advisory locks, by which the processes of one site exclude each other. The numbers are arbitrary but
 * fixed, since processes of two versions may run at once.
 * @source https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS
 */
export const ADVISORY_LOCKS = {
  /** Applies migrations. */
  migrar: 7_402_101,
  /** Seals votes, flags origins, closes blocks of the published chain. Its second key is the year. */
  sellar: 7_402_102,
  /** Annuls votes; moves or performs the closing of the contest. */
  anular: 7_402_103,
  /** Held shared by each vote, exclusively while the record is drawn up; the migration with `votacion_sin_acta` names it, too. */
  votar: 7_402_104,
  /** Writes the record's file. */
  publicar: 7_402_105,
  /** Writes the candidates' names. */
  nombrar: 7_402_106,
  /** Writes an edition's draft. Its second key is the year. */
  redactar: 7_402_107,
  /** Records publications. */
  editar: 7_402_109,
  /** Prepares a publication for display. */
  preparar: 7_402_108,
  /** Makes a backup. */
  copiar: 7_402_131,
  /** Reserves space for an upload. */
  recibir: 7_402_140,
  /** Appends to the record of a final. Its second key is the year. */
  asentar: 7_402_130,
} as const
