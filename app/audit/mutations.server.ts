import type { Database } from '#app/core/db/database.server.ts'
import type { AuditEvent } from './schema.ts'

/** Who does something, and from where. */
export interface Actor {
  /** Account; null: no account. */
  quien: string | null
  /** Keyed hash of the network address; or «terminal», «sitio», or «folio» for the person to whom an entry belongs. */
  desde: string
}

/** The author of what is done at the machine itself. */
export const TERMINAL: Actor = { quien: null, desde: 'terminal' }

/**
 * Adds lines to the log; no line is ever removed.
 * @param db the database, or the transaction of what is noted: without its commit there is no line
 */
export const writeAuditLog = (db: Database, actor: Actor, ...events: AuditEvent[]): Promise<void> =>
  bulkWriteAuditLog(
    db,
    events.map((event) => ({ autor: actor, evento: event })),
  )

/** Adds lines of several people in one statement. */
export async function bulkWriteAuditLog(
  db: Database,
  completed: readonly { autor: Actor; evento: AuditEvent }[],
): Promise<void> {
  await db
    .insertInto('bitacora')
    .values(completed.map(({ autor: { quien, desde }, evento }) => ({ quien, desde, ...rowOf(evento) })))
    .execute()
}

/** Which fields of an event have a column of their own. */
interface EventColumns {
  cuenta?: string
  rastro?: string
  inscripcion?: number
  documento?: number
  edicion?: number
  acuse?: string
}

function rowOf(event: AuditEvent) {
  const { que, cuenta, rastro, inscripcion, documento, edicion, acuse, ...data }: { que: string } & EventColumns = event
  const said = JSON.stringify(data)
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
