import type { Actor } from '#app/audit/mutations.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { isNotBeingDeleted } from '#app/entries/data.server.ts'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import { documentName } from '#app/entries/definitions/document-kinds.ts'
import { checkContact, listChoosableStates, type TypedValues } from '#app/entries/rules.ts'
import { type ChangeRefusal, type EntryState, MAX_NOTE_CHARACTERS } from '#app/entries/schema.ts'
import { applyCorrections, applyTransition, type ContactCorrection, changeMomentSql } from './transition.server.ts'

/** An entry as the organiser saw it; if the database has another `version`, the change is refused. */
export interface SeenEntry {
  id: number
  version: number
  /** Moment of the change by the site's clock; by default the database's clock dates the change. */
  at?: Date
}

export type ChangeResult =
  | { ok: true }
  | { ok: false; reason: Exclude<ChangeRefusal, 'version'> }
  /** Another change was first; the result has its author and moment, and the entry's present state. */
  | { ok: false; reason: 'version'; author: string | null; estado: EntryState; at: Date | null }

/**
 * Moves an entry to a state, with a note for its history and, if `isForEntrant`, for the folio's page. Open document requests
 * are withdrawn, unless the new state is «falta documento». No mail is sent.
 */
export function changeState(
  db: Database,
  seenEntry: SeenEntry,
  { to, note, isForEntrant = false }: { to: EntryState; note: string; isForEntrant?: boolean },
  actor: Actor,
): Promise<ChangeResult> {
  if (!isValidNote(note)) return Promise.resolve({ ok: false, reason: 'nota' })
  return withUnchangedEntry(db, seenEntry, async (tx, from) => {
    if (!listChoosableStates(from).includes(to)) return 'estado'
    await applyTransition(tx, seenEntry, { from, to, note: note || null, isForEntrant }, actor)
    return undefined
  })
}

/** Undoes the last change by a further one, so that the history keeps both. Requests that the undone change withdrew reopen. */
export function undoChange(db: Database, seenEntry: SeenEntry, actor: Actor): Promise<ChangeResult> {
  return withUnchangedEntry(db, seenEntry, async (tx, from) => {
    const lastChange = await tx
      .selectFrom('cambios')
      .select(['id', 'de', 'a'])
      .where('inscripcion_id', '=', seenEntry.id)
      .orderBy('id', 'desc')
      .executeTakeFirst()
    if (!lastChange || lastChange.a !== from || lastChange.de === from) return 'sin-cambio'
    await applyTransition(tx, seenEntry, { from, to: lastChange.de, note: 'Se deshizo el cambio anterior.' }, actor)
    await tx
      .updateTable('solicitudes')
      .set({ retirada_at: null })
      .where('inscripcion_id', '=', seenEntry.id)
      .where('retirada_at', '=', changeMomentSql(lastChange.id))
      .execute()
    return undefined
  })
}

/**
 * Asks the entrant for a current document again, and moves the entry to «falta documento».
 * @param notify runs in the same transaction; its error undoes the request
 */
export function requestDocument(
  db: Database,
  seenEntry: SeenEntry,
  { documentId, note, notify }: { documentId: number; note: string; notify(tx: Database): Promise<unknown> },
  actor: Actor,
): Promise<ChangeResult> {
  if (note === '' || !isValidNote(note)) return Promise.resolve({ ok: false, reason: 'nota' })
  return withUnchangedEntry(db, seenEntry, async (tx, from) => {
    const documentRow = await tx
      .selectFrom('documentos')
      .select(['clase', 'lado'])
      .where('id', '=', documentId)
      .where('inscripcion_id', '=', seenEntry.id)
      .where('reemplazado_at', 'is', null)
      .executeTakeFirst()
    if (!documentRow) return 'documento'
    const insertedRow = await tx
      .insertInto('solicitudes')
      .values({
        inscripcion_id: seenEntry.id,
        ...documentRow,
        nota: note,
        quien: actor.quien,
        ...(seenEntry.at && { pedida_at: seenEntry.at }),
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst()
    if (!insertedRow) return 'ya-pedido'
    const name = documentName(documentRow.clase, documentRow.lado)
    const historyNote = [...`Se pidió de nuevo: ${name}. ${note}`].slice(0, MAX_NOTE_CHARACTERS).join('')
    await applyTransition(tx, seenEntry, { from, to: 'falta-documento', note: historyNote }, actor)
    await notify(tx)
    return undefined
  })
}

/**
 * Corrects the entrant's telephone number, email, or both; only fields that differ are changed.
 * @param typedValues text of each field, under its name in the form
 */
export function correctContact(
  db: Database,
  seenEntry: SeenEntry,
  typedValues: TypedValues,
  actor: Actor,
): Promise<ChangeResult> {
  return withUnchangedEntry(db, seenEntry, async (tx) => {
    const { tipo, ...currentContact } = await tx
      .selectFrom('inscripciones')
      .select(['tipo', 'celular', 'correo'])
      .where('id', '=', seenEntry.id)
      .executeTakeFirstOrThrow()
    const check = checkContact(FORMS[tipo], typedValues)
    if (!check.ok) return 'contacto'
    const corrections = check.values.flatMap(({ field: { name, summaryColumn }, value }): ContactCorrection[] => {
      const column = summaryColumn as ContactCorrection['campo']
      const currentValue = currentContact[column]
      const newValue = value === null ? null : String(value)
      return newValue === currentValue ? [] : [{ campo: column, fieldName: name, antes: currentValue, ahora: newValue }]
    })
    if (corrections.length === 0) return 'mismo-contacto'
    await applyCorrections(tx, seenEntry, FORMS[tipo], corrections, actor)
    return undefined
  })
}

/** Stores which candidate of the site was made from an entry, in place of an earlier one; the link is deleted with the entry. */
export async function linkCandidate(
  tx: Database,
  { entryId, edition, candidateId, at }: { entryId: number; edition: number; candidateId: string; at: Date },
): Promise<void> {
  await tx
    .insertInto('candidatas_de_inscripciones')
    .values({ inscripcion_id: entryId, edicion: edition, candidata: candidateId, at })
    .onConflict((conflict) =>
      conflict.column('inscripcion_id').doUpdateSet({ edicion: edition, candidata: candidateId, at }),
    )
    .execute()
}

const isValidNote = (note: string) => [...note].length <= MAX_NOTE_CHARACTERS && !note.includes('\0')

/**
 * Runs a change on an entry that is still as the organiser saw it. A row lock makes concurrent changes wait, and the next of them
 * then finds its version outdated. A change that returns a reason must not have written anything, since the transaction is
 * committed.
 */
function withUnchangedEntry(
  db: Database,
  { id, version }: SeenEntry,
  change: (tx: Database, state: EntryState) => Promise<Exclude<ChangeRefusal, 'version'> | undefined>,
): Promise<ChangeResult> {
  return db.transaction().execute(async (tx) => {
    const row = await tx
      .selectFrom('inscripciones')
      .select(['estado', 'version'])
      .where('id', '=', id)
      .where(isNotBeingDeleted)
      .forUpdate()
      .executeTakeFirst()
    if (!row) return { ok: false, reason: 'borrada' }
    if (row.version !== version)
      return { ok: false, reason: 'version', estado: row.estado, ...(await readLastChange(tx, id)) }
    const reason = await change(tx, row.estado)
    return reason ? { ok: false, reason } : { ok: true }
  })
}

/** Reads author and moment of an entry's last change; the author is null for an entrant's document, and for an account that is gone. */
async function readLastChange(tx: Database, id: number): Promise<{ author: string | null; at: Date | null }> {
  const lastStateChange = await tx
    .selectFrom('cambios')
    .leftJoin('profiles', 'profiles.id', 'cambios.quien')
    .select(['at', 'email'])
    .where('inscripcion_id', '=', id)
    .orderBy('cambios.id', 'desc')
    .executeTakeFirst()
  const lastCorrection = await tx
    .selectFrom('correcciones')
    .leftJoin('profiles', 'profiles.id', 'correcciones.quien')
    .select(['at', 'email'])
    .where('inscripcion_id', '=', id)
    .orderBy('correcciones.id', 'desc')
    .executeTakeFirst()
  const lastChange =
    lastCorrection && !(lastStateChange && lastStateChange.at > lastCorrection.at) ? lastCorrection : lastStateChange
  // A document that the entrant sends adds no state change if the state stays, as while other documents are requested.
  const lastDocument = await tx
    .selectFrom('documentos')
    .select('recibido_at as at')
    .where('inscripcion_id', '=', id)
    .orderBy('recibido_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return lastChange && !(lastDocument && lastDocument.at > lastChange.at)
    ? { author: lastChange.email, at: lastChange.at }
    : { author: null, at: lastDocument?.at ?? null }
}
