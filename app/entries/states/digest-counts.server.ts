import type { Database } from '#app/core/db/database.server.ts'
import { countEntries, isNotBeingDeleted } from '#app/entries/data.server.ts'

/** Entries that arrived within a period, and entries that wait now. */
export interface DigestCounts {
  candidatas: number
  trajes: number
  /** Entries that got a requested document. */
  repuestas: number
  /** Entries not looked at yet, and entries under review. */
  recibidas: number
  enRevision: number
}

/** Counts over a period by the site's clock, from its start (excluded) to its end (included). */
export async function countForDigest(
  db: Database,
  { edicion, desde, hasta }: { edicion: number; desde: Date; hasta: Date },
): Promise<DigestCounts> {
  const [newOnes, { repuestas }, { candidata, traje }] = await Promise.all([
    db
      .selectFrom('inscripciones')
      .select(({ fn }) => ['tipo', fn.countAll<number>().as('cuantas')])
      .where('edicion', '=', edicion)
      .where('created_at', '>', desde)
      .where('created_at', '<=', hasta)
      .where(isNotBeingDeleted)
      .groupBy('tipo')
      .execute(),
    db
      .selectFrom('solicitudes')
      .innerJoin('inscripciones', 'inscripciones.id', 'solicitudes.inscripcion_id')
      .select(({ fn }) => fn.count<number>('inscripcion_id').distinct().as('repuestas'))
      .where('edicion', '=', edicion)
      .where('cumplida_at', '>', desde)
      .where('cumplida_at', '<=', hasta)
      .where(isNotBeingDeleted)
      .executeTakeFirstOrThrow(),
    countEntries(db, edicion),
  ])
  const of = (type: 'candidata' | 'traje') => newOnes.find((one) => one.tipo === type)?.cuantas ?? 0
  return {
    ...{ candidatas: of('candidata'), trajes: of('traje'), repuestas },
    recibidas: candidata.recibida + traje.recibida,
    enRevision: candidata['en-revision'] + traje['en-revision'],
  }
}
