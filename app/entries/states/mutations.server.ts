import type { Actor } from '#app/audit/mutations.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import { documentName } from '#app/entries/definitions/document-kinds.ts'
import { checkContact, nextStates, type TypedValues } from '#app/entries/rules.ts'
import { type ChangeRefusal, type EntryState, MAX_NOTE_CHARACTERS } from '#app/entries/schema.ts'
import { applyCorrections, applyTransition, atOf, type ContactCorrection } from './transition.server.ts'

/** A SeenEntry is an entry as the organiser saw it; another `version` in the database refuses the change. */
export interface SeenEntry {
  id: number
  version: number
  /** The change is dated with this moment of the site's clock; absent: with the database's clock. */
  at?: Date
}

/** With reason `version` the result holds author, state and moment of the change that came first. */
export type ChangeResult =
  | { ok: true }
  | { ok: false; reason: Exclude<ChangeRefusal, 'version'> }
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
    if (!nextStates(from).includes(to)) return 'estado'
    await applyTransition(tx, seenEntry, { from, to, note: note || null, isForEntrant }, actor)
    return undefined
  })
}

/** Undoes the last change by one more step, so that the history keeps both. Requests that the change withdrew are open again. */
export function undoChange(db: Database, seenEntry: SeenEntry, actor: Actor): Promise<ChangeResult> {
  return withUnchangedEntry(db, seenEntry, async (tx, from) => {
    const last = await tx
      .selectFrom('cambios')
      .select(['id', 'de', 'a'])
      .where('inscripcion_id', '=', seenEntry.id)
      .orderBy('id', 'desc')
      .executeTakeFirst()
    if (!last || last.a !== from || last.de === from) return 'sin-cambio'
    await applyTransition(tx, seenEntry, { from, to: last.de, note: 'Se deshizo el cambio anterior.' }, actor)
    await tx
      .updateTable('solicitudes')
      .set({ retirada_at: null })
      .where('inscripcion_id', '=', seenEntry.id)
      .where('retirada_at', '=', atOf(last.id))
      .execute()
    return undefined
  })
}

/**
 * Asks the entrant for one current document again; the entry waits in «falta documento». `notify` runs within the same
 * transaction, and its error undoes the request.
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
    const inserted = await tx
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
    if (!inserted) return 'ya-pedido'
    const name = documentName(documentRow.clase, documentRow.lado)
    const historyNote = `Se pidió de nuevo: ${name}. ${note}`.slice(0, MAX_NOTE_CHARACTERS)
    await applyTransition(tx, seenEntry, { from, to: 'falta-documento', note: historyNote }, actor)
    await notify(tx)
    return undefined
  })
}

/**
 * Corrects the entrant's telephone or email; only fields that differ are changed.
 * @param typedValues text of each field, under its name in the form
 */
export function correctContact(
  db: Database,
  seenEntry: SeenEntry,
  typedValues: TypedValues,
  actor: Actor,
): Promise<ChangeResult> {
  return withUnchangedEntry(db, seenEntry, async (tx) => {
    const { tipo, ...before } = await tx
      .selectFrom('inscripciones')
      .select(['tipo', 'celular', 'correo'])
      .where('id', '=', seenEntry.id)
      .executeTakeFirstOrThrow()
    const checked = checkContact(FORMS[tipo], typedValues)
    if (!checked.ok) return 'contacto'
    const corrections = checked.values.flatMap(({ field: { name, summaryColumn }, value }): ContactCorrection[] => {
      const field = summaryColumn as ContactCorrection['campo']
      const now = value === null ? null : String(value)
      return now === before[field] ? [] : [{ campo: field, fieldName: name, antes: before[field], ahora: now }]
    })
    if (corrections.length === 0) return 'mismo-contacto'
    await applyCorrections(tx, seenEntry, FORMS[tipo], corrections, actor)
    return undefined
  })
}

/** Records which candidate of the site an entry became, or became anew; the record is deleted with the entry. */
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
 * Runs a change on an entry that is still as the organiser saw it. A row lock makes concurrent changes wait, and then refuses
 * them by the version. A change that returns a reason must not have written anything, since the transaction is committed.
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
      .forUpdate()
      .executeTakeFirst()
    if (!row) return { ok: false, reason: 'borrada' }
    if (row.version !== version)
      return { ok: false, reason: 'version', estado: row.estado, ...(await readLastChange(tx, id)) }
    const reason = await change(tx, row.estado)
    return reason ? { ok: false, reason } : { ok: true }
  })
}

/** Finds author and moment of an entry's last change; the author is null for a document that the entrant sent. */
async function readLastChange(tx: Database, id: number): Promise<{ author: string | null; at: Date | null }> {
  const last = await tx
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
  const latest = lastCorrection && !(last && last.at > lastCorrection.at) ? lastCorrection : last
  // A document that the entrant sends adds no change to the history while another one is still awaited.
  const lastDocument = await tx
    .selectFrom('documentos')
    .select('recibido_at as at')
    .where('inscripcion_id', '=', id)
    .orderBy('recibido_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return latest && !(lastDocument && lastDocument.at > latest.at)
    ? { author: latest.email, at: latest.at }
    : { author: null, at: lastDocument?.at ?? null }
}
