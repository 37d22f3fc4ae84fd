import type { Database } from '#app/core/db/database.server.ts'
import { countEntries, isNotBeingDeleted } from '#app/entries/data.server.ts'

/** DigestCounts hold the entries that arrived within a period, and the entries that wait now. */
export interface DigestCounts {
  candidates: number
  costumes: number
  /** These entries got a requested document within the period. */
  replaced: number
  /** `received` entries are in state «recibida» now, `underReview` entries in «en revisión». */
  received: number
  underReview: number
}

/** Counts an edition's entries for a digest. The period runs by the site's clock, without its start and with its end. */
export async function countForDigest(
  db: Database,
  { edition, from, to }: { edition: number; from: Date; to: Date },
): Promise<DigestCounts> {
  const [newByType, { replaced }, { candidata, traje }] = await Promise.all([
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
      .select(({ fn }) => fn.count<number>('inscripcion_id').distinct().as('replaced'))
      .where('edicion', '=', edition)
      .where('cumplida_at', '>', from)
      .where('cumplida_at', '<=', to)
      .where(isNotBeingDeleted)
      .executeTakeFirstOrThrow(),
    countEntries(db, edition),
  ])
  const countOf = (type: 'candidata' | 'traje') => newByType.find((one) => one.tipo === type)?.count ?? 0
  return {
    candidates: countOf('candidata'),
    costumes: countOf('traje'),
    replaced,
    received: candidata.recibida + traje.recibida,
    underReview: candidata['en-revision'] + traje['en-revision'],
  }
}
