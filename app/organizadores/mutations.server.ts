import { sql } from 'kysely'
import { type Autor, anotar } from '#app/bitacora/mutations.server.ts'
import { encolarCorreo } from '#app/correo/mutations.server.ts'
import type { Database } from '#app/platform/database.server.ts'
import { cartaDeDocumento } from '#app/registros/correos.server.ts'
import { siguientes } from './rules.ts'
import { type EstadoInscripcion, MAX_NOTA_CARACTERES, type MotivoDeCambio, nombreDeDocumento } from './schema.ts'

/** Which entry, as the organiser saw it. */
export interface Vista {
  id: number
  version: number
  /** When it is changed, by the site's clock; without it, by the database's. */
  ahora?: Date
}

/** What a change came to; with reason `version`, who was quicker and what that made of it. */
export type Hecho =
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
  vista: Vista,
  { a, nota, paraPersona = false }: { a: EstadoInscripcion; nota: string; paraPersona?: boolean },
  autor: Autor,
): Promise<Hecho> {
  if (!isNota(nota)) return Promise.resolve({ ok: false, reason: 'nota' })
  return onInscripcion(db, vista, async (tx, de) => {
    if (!siguientes(de).includes(a)) return 'estado'
    await move(tx, vista, { de, a, nota: nota || null, paraPersona }, autor)
    return undefined
  })
}

/**
 * Takes the last change back, by one more step: the history keeps both. What it had ceased to ask for is asked for again.
 */
export function undoCambio(db: Database, vista: Vista, autor: Autor): Promise<Hecho> {
  return onInscripcion(db, vista, async (tx, de) => {
    const last = await tx
      .selectFrom('cambios')
      .select(['id', 'de', 'a'])
      .where('inscripcion_id', '=', vista.id)
      .orderBy('id', 'desc')
      .executeTakeFirst()
    if (!last || last.a !== de || last.de === de) return 'sin-cambio'
    await move(tx, vista, { de, a: last.de, nota: 'Se deshizo el cambio anterior.' }, autor)
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
 * Asks the person for one document again, by mail where there is an address; the entry waits for it in «falta
 * documento».
 * @param sitio the site's own origin, for the mail
 */
export function askDocumento(
  db: Database,
  vista: Vista,
  { documento, nota, sitio }: { documento: number; nota: string; sitio: string },
  autor: Autor,
): Promise<Hecho> {
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
        inscripcion_id: vista.id,
        ...asked,
        nota,
        quien: autor.quien,
        ...(vista.ahora && { pedida_at: vista.ahora }),
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst()
    if (!made) return 'ya-pedido'
    const nombre = nombreDeDocumento(asked.clase, asked.lado)
    const { correo, folio } = await tx
      .selectFrom('inscripciones')
      .select(['correo', 'folio'])
      .where('id', '=', vista.id)
      .executeTakeFirstOrThrow()
    if (correo !== null)
      await encolarCorreo(tx, {
        ...cartaDeDocumento({ documento: nombre, nota, folio }),
        ...{ to: correo, sitio, inscripcion: vista.id },
        idempotencyKey: `documento:${made.id}`,
      })
    const what = `Se pidió de nuevo: ${nombre}. ${nota}`.slice(0, MAX_NOTA_CARACTERES)
    await move(tx, vista, { de, a: 'falta-documento', nota: what }, autor)
    return undefined
  })
}

const isNota = (nota: string) => [...nota].length <= MAX_NOTA_CARACTERES && !nota.includes('\0')

/** Runs a change on an entry that is still as the organiser saw it; two at once come one after the other. */
function onInscripcion(
  db: Database,
  { id, version }: Vista,
  change: (tx: Database, estado: EstadoInscripcion) => Promise<Exclude<MotivoDeCambio, 'version'> | undefined>,
): Promise<Hecho> {
  return db.transaction().execute(async (tx) => {
    const row = await tx
      .selectFrom('inscripciones')
      .select(['estado', 'version'])
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst()
    if (!row) return { ok: false, reason: 'borrada' }
    if (row.version !== version) {
      const last = await tx
        .selectFrom('cambios')
        .leftJoin('profiles', 'profiles.id', 'cambios.quien')
        .select(['at', 'email'])
        .where('inscripcion_id', '=', id)
        .orderBy('cambios.id', 'desc')
        .executeTakeFirst()
      // A document that the person sends is no step of its own while another is still awaited.
      const sent = await tx
        .selectFrom('documentos')
        .select('recibido_at as at')
        .where('inscripcion_id', '=', id)
        .orderBy('recibido_at', 'desc')
        .limit(1)
        .executeTakeFirst()
      const { email, at } = last && !(sent && sent.at > last.at) ? last : { email: null, at: sent?.at ?? null }
      return { ok: false, reason: 'version', quien: email, estado: row.estado, at }
    }
    const reason = await change(tx, row.estado)
    return reason ? { ok: false, reason } : { ok: true }
  })
}

/** To the microsecond, which a Date does not hold: by it, what a change ceased to ask for is known as its own. */
const atOf = (cambio: number) => sql<Date>`(select at from cambios where id = ${cambio})`

async function move(
  tx: Database,
  { id, ahora }: Vista,
  cambio: { de: EstadoInscripcion; a: EstadoInscripcion; nota: string | null; paraPersona?: boolean },
  autor: Autor,
): Promise<void> {
  const { de, a, nota, paraPersona = false } = cambio
  await tx.updateTable('inscripciones').set({ estado: a, version: sql`version + 1` }).where('id', '=', id).execute()
  const made = await tx
    .insertInto('cambios')
    .values({
      inscripcion_id: id,
      de,
      a,
      nota,
      para_persona: paraPersona,
      quien: autor.quien,
      ...(ahora && { at: ahora }),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  if (a !== 'falta-documento')
    await tx
      .updateTable('solicitudes')
      .set({ retirada_at: atOf(made.id) })
      .where('inscripcion_id', '=', id)
      .where('cumplida_at', 'is', null)
      .where('retirada_at', 'is', null)
      .execute()
  await anotar(tx, autor, { que: `inscripcion.${a}`, inscripcion: id })
}
