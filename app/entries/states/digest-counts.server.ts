import type { Database } from '#app/core/db/database.server.ts'
import { countEntries, isNotBeingDeleted } from '#app/entries/data.server.ts'
import type { EntryType } from '#app/entries/definitions/document-kinds.ts'

/** Numbers of entries that arrived in a period, and of entries that wait for the organisers now. */
export interface DigestCounts {
  /** Candidates' entries that arrived in the period. */
  candidateCount: number
  /** Costumes' entries that arrived in the period. */
  costumeCount: number
  /** Entries for which a requested document arrived in the period. */
  newDocumentCount: number
  /** Entries that are in state «recibida» now. */
  receivedCount: number
  /** Entries that are in state «en revisión» now. */
  underReviewCount: number
}

/** Counts an edition's entries for a digest. The period is by the site's clock; it excludes `from` and includes `to`. */
export async function countForDigest(
  db: Database,
  { edition, from, to }: { edition: number; from: Date; to: Date },
): Promise<DigestCounts> {
  const [newByType, { newDocumentCount }, { candidata, traje }] = await Promise.all([
    db
      .selectFrom('inscripciones')
      .select(({ fn }) => ['tipo', fn.countAll<number>().as('count')])
      .where('edicion', '=', edition)
      .where('created_at', '>', from)
      .where('created_at', '<=', to)
      .where(isNotBeingDeleted)
      .groupBy('tipo')
      .execute(),
    db
      .selectFrom('solicitudes')
      .innerJoin('inscripciones', 'inscripciones.id', 'solicitudes.inscripcion_id')
      .select(({ fn }) => fn.count<number>('inscripcion_id').distinct().as('newDocumentCount'))
      .where('edicion', '=', edition)
      .where('cumplida_at', '>', from)
      .where('cumplida_at', '<=', to)
      .where(isNotBeingDeleted)
      .executeTakeFirstOrThrow(),
    countEntries(db, edition),
  ])
  const newCountOf = (type: EntryType) => newByType.find(({ tipo }) => tipo === type)?.count ?? 0
  return {
    candidateCount: newCountOf('candidata'),
    costumeCount: newCountOf('traje'),
    newDocumentCount,
    receivedCount: candidata.recibida + traje.recibida,
    underReviewCount: candidata['en-revision'] + traje['en-revision'],
  }
}
