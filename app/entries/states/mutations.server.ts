import type { Autor } from '#app/audit/mutations.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { FORMAS } from '#app/entries/definitions/both-forms.ts'
import { nombreDeDocumento } from '#app/entries/definitions/document-kinds.ts'
import { revisarContacto, siguientes, type Tecleado } from '#app/entries/rules.ts'
import { type EstadoInscripcion, MAX_NOTA_CARACTERES, type MotivoDeCambio } from '#app/entries/schema.ts'
import { atOf, type Correccion, darCorrecciones, darPaso } from './transition.server.ts'

/** Which entry, as the organiser saw it. */
export interface EntradaVista {
  id: number
  version: number
  /** When it is changed, by the site's clock; without it, by the database's. */
  at?: Date
}

/** What a change came to; with reason `version`, who was quicker and what that made of it. */
export type ResultadoDeCambio =
  | { ok: true }
  | { ok: false; reason: Exclude<MotivoDeCambio, 'version'> }
  | { ok: false; reason: 'version'; quien: string | null; estado: EstadoInscripcion; at: Date | null }

/**
 * Takes an entry on to a state, with a note for whoever looks at its history; with `paraPersona`, also for whoever has
 * its folio.
 * What was asked for anew is asked for no more once the entry goes anywhere but «falta documento».
 */
export function changeEstado(
  db: Database,
  vista: EntradaVista,
  { a, nota, paraPersona = false }: { a: EstadoInscripcion; nota: string; paraPersona?: boolean },
  autor: Autor,
): Promise<ResultadoDeCambio> {
  if (!isNota(nota)) return Promise.resolve({ ok: false, reason: 'nota' })
  return onInscripcion(db, vista, async (tx, de) => {
    if (!siguientes(de).includes(a)) return 'estado'
    await darPaso(tx, vista, { de, a, nota: nota || null, paraPersona }, autor)
    return undefined
  })
}

/**
 * Takes the last change back, by one more step: the history keeps both. What it had ceased to ask for is asked for again.
 */
export function undoCambio(db: Database, vista: EntradaVista, autor: Autor): Promise<ResultadoDeCambio> {
  return onInscripcion(db, vista, async (tx, de) => {
    const last = await tx
      .selectFrom('cambios')
      .select(['id', 'de', 'a'])
      .where('inscripcion_id', '=', vista.id)
      .orderBy('id', 'desc')
      .executeTakeFirst()
    if (!last || last.a !== de || last.de === de) return 'sin-cambio'
    await darPaso(tx, vista, { de, a: last.de, nota: 'Se deshizo el cambio anterior.' }, autor)
    await tx
      .updateTable('solicitudes')
      .set({ retirada_at: null })
      .where('inscripcion_id', '=', vista.id)
      .where('retirada_at', '=', atOf(last.id))
      .execute()
    return undefined
  })
}

/**
 * Asks the person for one document again; the entry waits for it in «falta documento».
 * @param avisar tells the person, within the same transaction
 */
export function askDocumento(
  db: Database,
  vista: EntradaVista,
  { documento, nota, avisar }: { documento: number; nota: string; avisar(tx: Database): Promise<unknown> },
  autor: Autor,
): Promise<ResultadoDeCambio> {
  if (nota === '' || !isNota(nota)) return Promise.resolve({ ok: false, reason: 'nota' })
  return onInscripcion(db, vista, async (tx, de) => {
    const asked = await tx
      .selectFrom('documentos')
      .select(['clase', 'lado'])
      .where('id', '=', documento)
      .where('inscripcion_id', '=', vista.id)
      .where('reemplazado_at', 'is', null)
      .executeTakeFirst()
    if (!asked) return 'documento'
    const made = await tx
      .insertInto('solicitudes')
      .values({
        ...{ inscripcion_id: vista.id, ...asked, nota, quien: autor.quien },
        ...(vista.at && { pedida_at: vista.at }),
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst()
    if (!made) return 'ya-pedido'
    const nombre = nombreDeDocumento(asked.clase, asked.lado)
    const what = `Se pidió de nuevo: ${nombre}. ${nota}`.slice(0, MAX_NOTA_CARACTERES)
    await darPaso(tx, vista, { de, a: 'falta-documento', nota: what }, autor)
    await avisar(tx)
    return undefined
  })
}

/**
 * Corrects how to reach the person; only what differs is changed.
 * @param tecleado text of each field, under its name in the form
 */
export function correctContacto(
  db: Database,
  vista: EntradaVista,
  tecleado: Tecleado,
  autor: Autor,
): Promise<ResultadoDeCambio> {
  return onInscripcion(db, vista, async (tx) => {
    const { tipo, ...before } = await tx
      .selectFrom('inscripciones')
      .select(['tipo', 'celular', 'correo'])
      .where('id', '=', vista.id)
      .executeTakeFirstOrThrow()
    const revisado = revisarContacto(FORMAS[tipo], tecleado)
    if (!revisado.ok) return 'contacto'
    const correcciones = revisado.leidos.flatMap(({ campo: { nombre, resumen }, valor }): Correccion[] => {
      const campo = resumen as Correccion['campo']
      const ahora = valor === null ? null : String(valor)
      return ahora === before[campo] ? [] : [{ campo, nombre, antes: before[campo], ahora }]
    })
    if (correcciones.length === 0) return 'mismo-contacto'
    await darCorrecciones(tx, vista, FORMAS[tipo], correcciones, autor)
    return undefined
  })
}

/** Keeps which candidate of the site an entry became, for as long as there is the entry. */
export async function linkCandidata(
  tx: Database,
  { inscripcion, edicion, candidata, at }: { inscripcion: number; edicion: number; candidata: string; at: Date },
): Promise<void> {
  await tx
    .insertInto('candidatas_de_inscripciones')
    .values({ inscripcion_id: inscripcion, edicion, candidata, at })
    .onConflict((conflict) => conflict.column('inscripcion_id').doUpdateSet({ edicion, candidata, at }))
    .execute()
}

const isNota = (nota: string) => [...nota].length <= MAX_NOTA_CARACTERES && !nota.includes('\0')

/** Runs a change on an entry that is still as the organiser saw it; two at once come one after the other. */
function onInscripcion(
  db: Database,
  { id, version }: EntradaVista,
  change: (tx: Database, estado: EstadoInscripcion) => Promise<Exclude<MotivoDeCambio, 'version'> | undefined>,
): Promise<ResultadoDeCambio> {
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

/** Who changed an entry last, and when; null: the person, by a document. */
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
  // A document that the person sends is no step of its own while another is still awaited.
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
