import { sql } from 'kysely'
import { type Actor, writeAuditLog } from '#app/audit/mutations.server.ts'
import type { AuditEvent } from '#app/audit/schema.ts'
import { ADVISORY_LOCKS } from '#app/core/db/advisory-locks.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { sha256 } from '#app/voting/record/block-seal.ts'
import { type FinalRecord, readFinalRecord, signRecordEntry } from './data.server.ts'
import type { RecordContent, RecordEntry } from './record-entries.ts'
import { type RecordEntryRefusal, refusalOfEntry } from './record-entry-rules.ts'

export type FinalServices = Pick<Services, 'db' | 'clock' | 'keyed' | 'log'>

export type RecordEntryResult =
  | { ok: true; entry: RecordEntry }
  /** The reason is `alterada` if the stored record differs from the sealed one, so that no entry may be appended. */
  | { ok: false; reason: RecordEntryRefusal | 'alterada' }

/** An entry to append with its audit event, or the reason why none may be appended. */
type EntryProposal = { content: RecordContent; event: AuditEvent } | { reason: RecordEntryRefusal }

const AUDIT_EVENT_BY_KIND = {
  'final-abierta': 'final.abierta',
  'ronda-abierta': 'final.ronda-abierta',
  hoja: 'final.hoja',
  'hoja-reabierta': 'final.hoja-reabierta',
  telefono: 'final.enlace',
  retiro: 'final.retiro',
  'ronda-cerrada': 'final.ronda-cerrada',
  'final-anulada': 'final.anulada',
  cierre: 'final.sellada',
} as const

/**
 * Appends an entry to the record if the rules allow it. An advisory lock admits one writer of an edition at a time. With an
 * idempotency key, a repeated request gets the entry of the first request.
 * @param propose decides the entry from the current record
 * @param after runs in the same transaction after the entry was appended
 */
export async function appendRecordEntry(
  { db, clock, keyed, log }: FinalServices,
  edition: number,
  propose: (record: FinalRecord, tx: Database) => Promise<EntryProposal> | EntryProposal,
  actor: Actor,
  { idempotencyKey, after }: { idempotencyKey?: string; after?: (tx: Database, now: Date) => Promise<void> } = {},
): Promise<RecordEntryResult> {
  return db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.appendFinalRecord}, ${edition}::int)`.execute(tx)
    if (idempotencyKey !== undefined) {
      const earlierEntry = await tx
        .selectFrom('asientos_de_final')
        .select('contenido')
        .where('edicion', '=', edition)
        .where('clave', '=', idempotencyKey)
        .executeTakeFirst()
      if (earlierEntry) return { ok: true, entry: JSON.parse(earlierEntry.contenido) as RecordEntry }
    }
    const record = await readFinalRecord({ db: tx, keyed }, edition)
    if (record.firstAltered !== undefined) return { ok: false, reason: 'alterada' }
    const proposal = await propose(record, tx)
    if ('reason' in proposal) return { ok: false, reason: proposal.reason }
    const reason = refusalOfEntry(record.state, proposal.content)
    if (reason) return { ok: false, reason }
    const recordEntry = await appendUncheckedEntry({ db: tx, clock, keyed, log }, edition, record, proposal.content, {
      actor,
      idempotencyKey,
    })
    await after?.(tx, new Date(recordEntry.levantada))
    await writeAuditLog(tx, actor, proposal.event)
    return { ok: true, entry: recordEntry }
  })
}

/** Appends an entry without checking the rules; the caller's transaction must hold the edition's advisory lock. */
export async function appendUncheckedEntry(
  { db, clock, keyed, log }: FinalServices,
  edition: number,
  record: FinalRecord,
  recordContent: RecordContent,
  { actor, idempotencyKey }: { actor: Actor; idempotencyKey?: string | undefined },
): Promise<RecordEntry> {
  const now = clock.now()
  const { clase, ...otherFields } = recordContent
  const number = record.entries.length + 1
  const recordEntry = {
    clase,
    edicion: edition,
    numero: number,
    anterior: record.seal,
    levantada: now.toISOString(),
    ...otherFields,
  } as RecordEntry
  const content = JSON.stringify(recordEntry)
  const seal = await sha256(content)
  const signature = signRecordEntry({ keyed }, edition, number, seal)
  await db
    .insertInto('asientos_de_final')
    .values({
      edicion: edition,
      numero: number,
      contenido: content,
      sello: seal,
      firma: signature,
      clave: idempotencyKey ?? null,
      quien: actor.quien,
      at: now,
    })
    .execute()
  // The log is a witness outside the database: a record whose last entries were deleted would otherwise verify.
  log.info({ edicion: edition, asiento: number, sello: seal }, 'an entry was appended to the record of the final')
  return recordEntry
}

/** Returns an entry with its audit event. @param subject of the entry, as the audit log states it */
export const proposeEntry = (edition: number, recordContent: RecordContent, subject?: string): EntryProposal => ({
  content: recordContent,
  event: {
    que: AUDIT_EVENT_BY_KIND[recordContent.clase],
    edicion: edition,
    ...(subject !== undefined && { sobre: subject }),
  },
})
