import type { Database } from '#app/core/db/database.server.ts'
import type { Evento } from './schema.ts'

/** Who does something, and from where. */
export interface Autor {
  /** Account; null: no account. */
  quien: string | null
  /** Keyed hash of the network address; or «terminal», «sitio», or «folio» for the person to whom an entry belongs. */
  desde: string
}

/** The author of what is done at the machine itself. */
export const TERMINAL: Autor = { quien: null, desde: 'terminal' }

/**
 * Adds lines to the log; no line is ever removed.
 * @param db the database, or the transaction of what is noted: without its commit there is no line
 */
export const anotar = (db: Database, autor: Autor, ...eventos: Evento[]): Promise<void> =>
  anotarVarios(
    db,
    eventos.map((evento) => ({ autor, evento })),
  )

/** Adds lines of several people in one statement. */
export async function anotarVarios(db: Database, hechos: readonly { autor: Autor; evento: Evento }[]): Promise<void> {
  await db
    .insertInto('bitacora')
    .values(hechos.map(({ autor: { quien, desde }, evento }) => ({ quien, desde, ...renglonDe(evento) })))
    .execute()
}

/** Which fields of an event have a column of their own. */
interface Columnas {
  cuenta?: string
  rastro?: string
  inscripcion?: number
  documento?: number
  edicion?: number
  acuse?: string
}

function renglonDe(evento: Evento) {
  const { que, cuenta, rastro, inscripcion, documento, edicion, acuse, ...datos }: { que: string } & Columnas = evento
  const said = JSON.stringify(datos)
  return {
    que,
    cuenta: cuenta ?? null,
    rastro: rastro ?? null,
    inscripcion: inscripcion ?? null,
    documento: documento ?? null,
    edicion: edicion ?? null,
    acuse: acuse ?? null,
    datos: said === '{}' ? null : said,
  }
}
