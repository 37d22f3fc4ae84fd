/**
 * Numbers of the database's advisory locks, by which processes of one site agree on who does something. Any number
 * would do; each has its own here, and none changes, since processes of two versions may meet.
 */
export const ADVISORY_LOCKS = {
  /** Applies migrations. */
  migrar: 7_402_101,
  /** Seals votes, marks origins, closes links. */
  sellar: 7_402_102,
  /** Annuls votes, or closes the contest. */
  anular: 7_402_103,
  /** Each vote comes in under a shared hold; the migration of `votacion_sin_acta` names it, too. */
  votar: 7_402_104,
  /** Writes the act's file. */
  publicar: 7_402_105,
  /** Writes candidates' names. */
  nombrar: 7_402_106,
  /** Writes an edition's draft; its second number is the year. */
  redactar: 7_402_107,
  /** Writes publications down. */
  editar: 7_402_109,
  /** Prepares a publication to be shown. */
  preparar: 7_402_108,
  /** Makes a backup. */
  copiar: 7_402_131,
  /** Sets a place aside for a file on its way in. */
  recibir: 7_402_140,
  /** Writes the act of a final; its second number is the year. */
  asentar: 7_402_130,
} as const
