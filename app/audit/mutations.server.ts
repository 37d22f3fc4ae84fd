import type { Database } from '#app/core/db/database.server.ts'
import type { AuditEvent } from './schema.ts'

/** The author of an action. */
export interface Actor {
  /** Account id; null without an account. */
  quien: string | null
  /** Keyed hash of the network address; «terminal»; «sitio»; or «folio» for an entrant with a folio. */
  desde: string
}

/** The author of commands typed on the machine. */
export const TERMINAL: Actor = { quien: null, desde: 'terminal' }

/**
 * Appends lines to the log. Lines are never removed.
 * @param db the transaction of the logged change, so that a rollback drops the line, too; or the database
 */
export const writeAuditLog = (db: Database, actor: Actor, ...events: AuditEvent[]): Promise<void> =>
  bulkWriteAuditLog(
    db,
    events.map((event) => ({ actor, event })),
  )

/** Appends lines of several actors in one statement. */
export async function bulkWriteAuditLog(
  db: Database,
  completed: readonly { actor: Actor; event: AuditEvent }[],
): Promise<void> {
  await db
    .insertInto('bitacora')
    .values(completed.map(({ actor: { quien, desde }, event }) => ({ quien, desde, ...rowOf(event) })))
    .execute()
}

/** Event fields that have a database column. */
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
