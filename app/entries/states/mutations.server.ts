import type { Actor } from '#app/audit/mutations.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import { documentName } from '#app/entries/definitions/document-kinds.ts'
import { checkContact, nextStates, type TypedValues } from '#app/entries/rules.ts'
import { type ChangeRefusal, type EntryState, MAX_NOTE_CHARACTERS } from '#app/entries/schema.ts'
import { applyCorrections, applyTransition, atOf, type ContactCorrection } from './transition.server.ts'

/** An entry as the organiser saw it; a newer `version` in the database refuses the change (optimistic locking). */
export interface SeenEntry {
  id: number
  version: number
  /** When it is changed, by the site's clock; absent: by the database's. */
  at?: Date
}

/** Result of a change; with reason `version`, the author, the state and the moment of the change that came first. */
export type ChangeResult =
  | { ok: true }
  | { ok: false; reason: Exclude<ChangeRefusal, 'version'> }
  | { ok: false; reason: 'version'; quien: string | null; estado: EntryState; at: Date | null }

/**
 * Moves an entry to a state, with a note for its history and, if the note is meant for the entrant, for the folio's page.
 * Open document requests are withdrawn, unless the new state is «falta documento».
 */
export function changeState(
  db: Database,
  view: SeenEntry,
  { a, nota, paraPersona = false }: { a: EntryState; nota: string; paraPersona?: boolean },
  actor: Actor,
): Promise<ChangeResult> {
  if (!isValidNote(nota)) return Promise.resolve({ ok: false, reason: 'nota' })
  return withUnchangedEntry(db, view, async (tx, de) => {
    if (!nextStates(de).includes(a)) return 'estado'
    await applyTransition(tx, view, { de, a, nota: nota || null, paraPersona }, actor)
    return undefined
  })
}

/** Undoes the last change by one more step: the history keeps both. Document requests that it withdrew are open again. */
export function undoChange(db: Database, view: SeenEntry, actor: Actor): Promise<ChangeResult> {
  return withUnchangedEntry(db, view, async (tx, de) => {
    const last = await tx
      .selectFrom('cambios')
      .select(['id', 'de', 'a'])
      .where('inscripcion_id', '=', view.id)
      .orderBy('id', 'desc')
      .executeTakeFirst()
    if (!last || last.a !== de || last.de === de) return 'sin-cambio'
    await applyTransition(tx, view, { de, a: last.de, nota: 'Se deshizo el cambio anterior.' }, actor)
    await tx
      .updateTable('solicitudes')
      .set({ retirada_at: null })
      .where('inscripcion_id', '=', view.id)
      .where('retirada_at', '=', atOf(last.id))
      .execute()
    return undefined
  })
}

/**
 * Asks the entrant for one document again; the entry waits for it in «falta documento». The notice to the entrant is queued
 * within the same transaction.
 */
export function requestDocument(
  db: Database,
  view: SeenEntry,
  { documento, nota, avisar }: { documento: number; nota: string; avisar(tx: Database): Promise<unknown> },
  actor: Actor,
): Promise<ChangeResult> {
  if (nota === '' || !isValidNote(nota)) return Promise.resolve({ ok: false, reason: 'nota' })
  return withUnchangedEntry(db, view, async (tx, de) => {
    const asked = await tx
      .selectFrom('documentos')
      .select(['clase', 'lado'])
      .where('id', '=', documento)
      .where('inscripcion_id', '=', view.id)
      .where('reemplazado_at', 'is', null)
      .executeTakeFirst()
    if (!asked) return 'documento'
    const made = await tx
      .insertInto('solicitudes')
      .values({
        ...{ inscripcion_id: view.id, ...asked, nota, quien: actor.quien },
        ...(view.at && { pedida_at: view.at }),
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst()
    if (!made) return 'ya-pedido'
    const name = documentName(asked.clase, asked.lado)
    const what = `Se pidió de nuevo: ${name}. ${nota}`.slice(0, MAX_NOTE_CHARACTERS)
    await applyTransition(tx, view, { de, a: 'falta-documento', nota: what }, actor)
    await avisar(tx)
    return undefined
  })
}

/**
 * Corrects the entrant's telephone or email; only fields that differ are changed.
 * @param typedValues text of each field, under its name in the form
 */
export function correctContact(
  db: Database,
  view: SeenEntry,
  typedValues: TypedValues,
  actor: Actor,
): Promise<ChangeResult> {
  return withUnchangedEntry(db, view, async (tx) => {
    const { tipo, ...before } = await tx
      .selectFrom('inscripciones')
      .select(['tipo', 'celular', 'correo'])
      .where('id', '=', view.id)
      .executeTakeFirstOrThrow()
    const checked = checkContact(FORMS[tipo], typedValues)
    if (!checked.ok) return 'contacto'
    const corrections = checked.leidos.flatMap(({ campo: { nombre, resumen }, valor }): ContactCorrection[] => {
      const field = resumen as ContactCorrection['campo']
      const now = valor === null ? null : String(valor)
      return now === before[field] ? [] : [{ campo: field, nombre, antes: before[field], ahora: now }]
    })
    if (corrections.length === 0) return 'mismo-contacto'
    await applyCorrections(tx, view, FORMS[tipo], corrections, actor)
    return undefined
  })
}

/** Records which candidate of the site an entry became; the record is deleted with the entry. */
export async function linkCandidate(
  tx: Database,
  { inscripcion, edicion, candidata, at }: { inscripcion: number; edicion: number; candidata: string; at: Date },
): Promise<void> {
  await tx
    .insertInto('candidatas_de_inscripciones')
    .values({ inscripcion_id: inscripcion, edicion, candidata, at })
    .onConflict((conflict) => conflict.column('inscripcion_id').doUpdateSet({ edicion, candidata, at }))
    .execute()
}

const isValidNote = (note: string) => [...note].length <= MAX_NOTE_CHARACTERS && !note.includes('\0')

/** Runs a change on an entry that is still as the organiser saw it; a row lock serialises concurrent changes. */
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
      return { ok: false, reason: 'version', estado: row.estado, ...(await lastHand(tx, id)) }
    const reason = await change(tx, row.estado)
    return reason ? { ok: false, reason } : { ok: true }
  })
}

/** Author and moment of an entry's last change; the author is null for a document that the entrant sent. */
async function lastHand(tx: Database, id: number): Promise<{ quien: string | null; at: Date | null }> {
  const last = await tx
    .selectFrom('cambios')
    .leftJoin('profiles', 'profiles.id', 'cambios.quien')
    .select(['at', 'email'])
    .where('inscripcion_id', '=', id)
    .orderBy('cambios.id', 'desc')
    .executeTakeFirst()
  const corrected = await tx
    .selectFrom('correcciones')
    .leftJoin('profiles', 'profiles.id', 'correcciones.quien')
    .select(['at', 'email'])
    .where('inscripcion_id', '=', id)
    .orderBy('correcciones.id', 'desc')
    .executeTakeFirst()
  const hand = corrected && !(last && last.at > corrected.at) ? corrected : last
  // A document that the entrant sends adds no change to the history while another one is still awaited.
  const sent = await tx
    .selectFrom('documentos')
    .select('recibido_at as at')
    .where('inscripcion_id', '=', id)
    .orderBy('recibido_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return hand && !(sent && sent.at > hand.at)
    ? { quien: hand.email, at: hand.at }
    : { quien: null, at: sent?.at ?? null }
}
