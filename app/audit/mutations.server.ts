import type { Database } from '#app/core/db/database.server.ts'
import type { AuditEvent } from './schema.ts'

/** Author of an action in the audit log. */
export interface Actor {
  /** Id of the actor's account; null for an actor without an account. */
  quien: string | null
  /** Keyed hash of the network address, «terminal», «sitio», or «folio» for an entrant who uses her folio. */
  desde: string
}

/** Actor of commands that are typed on the machine. */
export const TERMINAL: Actor = { quien: null, desde: 'terminal' }

/**
 * Appends lines to the audit log. A trigger of the database refuses to change or delete them later.
 * @param db the transaction of the logged change, whose rollback removes the lines, too; or the database
 */
export const writeAuditLog = (db: Database, actor: Actor, ...events: AuditEvent[]): Promise<void> =>
  bulkWriteAuditLog(
    db,
    events.map((event) => ({ actor, event })),
  )

/** Appends lines of several actors to the audit log in one statement. The list must not be empty. */
export async function bulkWriteAuditLog(
  db: Database,
  entries: readonly { actor: Actor; event: AuditEvent }[],
): Promise<void> {
  await db
    .insertInto('bitacora')
    .values(entries.map(({ actor: { quien, desde }, event }) => ({ quien, desde, ...rowOf(event) })))
    .execute()
}

/** The fields of an event that have a database column of their own. All other fields are stored in `datos` as JSON. */
interface EventColumns {
  cuenta?: string
  rastro?: string
  inscripcion?: number
  documento?: number
  edicion?: number
  acuse?: string
}

function rowOf(event: AuditEvent) {
  const { que, cuenta, rastro, inscripcion, documento, edicion, acuse, ...rest }: { que: string } & EventColumns = event
  const dataJson = JSON.stringify(rest)
  return {
    que,
    cuenta: cuenta ?? null,
    rastro: rastro ?? null,
    inscripcion: inscripcion ?? null,
    documento: documento ?? null,
    edicion: edicion ?? null,
    acuse: acuse ?? null,
    datos: dataJson === '{}' ? null : dataJson,
  }
}
