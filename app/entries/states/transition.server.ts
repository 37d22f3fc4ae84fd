import { sql } from 'kysely'
import { type Actor, writeAuditLog } from '#app/audit/mutations.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { FormDescriptor } from '#app/entries/definitions/form.ts'
import type { EntryState } from '#app/entries/schema.ts'

/**
 * Selects the moment of a state change to the microsecond, which a Date loses. Requests that the change withdrew have the same
 * moment in `retirada_at`.
 */
export const changeMomentSql = (changeId: number) => sql<Date>`(select at from cambios where id = ${changeId})`

export interface StateChange {
  from: EntryState
  to: EntryState
  note: string | null
  isForEntrant?: boolean
}

/**
 * Moves an entry to a state; a state other than «falta documento» withdraws the open document requests. Only this function changes
 * the state and adds state changes, with a line of the audit log; the caller must hold the entry's row lock. Without `at`, the
 * database dates the change.
 * @param stateChange undefined if a requested document arrived and the state stays
 */
export async function applyTransition(
  tx: Database,
  { id, at }: { id: number; at?: Date },
  stateChange: StateChange | undefined,
  actor: Actor,
): Promise<void> {
  await tx
    .updateTable('inscripciones')
    .set({ version: sql`version + 1`, ...(stateChange && { estado: stateChange.to }) })
    .where('id', '=', id)
    .execute()
  if (!stateChange) return writeAuditLog(tx, actor, { que: 'inscripcion.documento', inscripcion: id })
  const { from, to, note, isForEntrant = false } = stateChange
  const change = await tx
    .insertInto('cambios')
    .values({
      inscripcion_id: id,
      de: from,
      a: to,
      nota: note,
      para_persona: isForEntrant,
      quien: actor.quien,
      ...(at && { at }),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  if (to !== 'falta-documento')
    await tx
      .updateTable('solicitudes')
      .set({ retirada_at: changeMomentSql(change.id) })
      .where('inscripcion_id', '=', id)
      .where('cumplida_at', 'is', null)
      .where('retirada_at', 'is', null)
      .execute()
  await writeAuditLog(tx, actor, { que: `inscripcion.${to}`, inscripcion: id })
}

export interface ContactCorrection {
  campo: 'celular' | 'correo'
  /** Column in the form's own table; `campo` is the column in `inscripciones`. */
  fieldName: string
  antes: string | null
  ahora: string | null
}

/**
 * Corrects the contact in `inscripciones` and in the form's own table; the metadata in the storage keeps the old values until a
 * document is replaced. Both values are kept as long as the entry; the audit log, which stays, names only the fields.
 */
export async function applyCorrections(
  tx: Database,
  { id, at }: { id: number; at?: Date },
  descriptor: FormDescriptor,
  corrections: readonly ContactCorrection[],
  actor: Actor,
): Promise<void> {
  const columnValues = (columnOf: (correction: ContactCorrection) => string) =>
    Object.fromEntries(corrections.map((correction) => [columnOf(correction), correction.ahora])) as Record<
      string,
      never
    >
  await tx
    .updateTable('inscripciones')
    .set({ version: sql`version + 1`, ...columnValues(({ campo }) => campo) })
    .where('id', '=', id)
    .execute()
  await tx
    .updateTable(descriptor.table as 'registros')
    .set(columnValues(({ fieldName }) => fieldName))
    .where('inscripcion_id', '=', id)
    .execute()
  await tx
    .insertInto('correcciones')
    .values(
      corrections.map(({ campo, antes, ahora }) => ({
        inscripcion_id: id,
        campo,
        antes,
        ahora,
        quien: actor.quien,
        ...(at && { at }),
      })),
    )
    .execute()
  await writeAuditLog(tx, actor, {
    que: 'inscripcion.contacto',
    inscripcion: id,
    campos: corrections.map(({ campo }) => campo),
  })
}
