import { sql } from 'kysely'
import { type Autor, anotar } from '#app/bitacora/mutations.server.ts'
import { encolarCorreo } from '#app/correo/mutations.server.ts'
import type { Database } from '#app/platform/database.server.ts'
import { type ClaseDocumento, type LadoCredencial, nombreDeDocumento, type TipoInscripcion } from './clases.ts'
import { cartaDeDocumento, cartaDeInscripcion } from './correos.server.ts'
import { resumenDe } from './datos.ts'
import { FORMAS } from './formas.ts'
import { type Datos, siguientes } from './rules.ts'
import { type EstadoInscripcion, MAX_NOTA_CARACTERES, type MotivoDeCambio } from './schema.ts'

/** A document that has just been stored. */
export interface DocumentoNuevo {
  clase: ClaseDocumento
  lado: LadoCredencial | null
  path: string
  /** As the person's device called it. */
  nombreArchivo: string
  contentType: string
  bytes: number
  sha256: string
}

/** A whole entry, its objects stored already. */
export interface InscripcionNueva {
  tipo: TipoInscripcion
  /** Year of the edition. */
  edicion: number
  folio: string
  /** Of the form's own table: reserved beforehand, since the folder is called by it. */
  id: number
  carpeta: string
  metadataPath: string
  datos: Datos
  documentos: readonly DocumentoNuevo[]
  /** By the site's clock. */
  at: Date
}

/** An id of the form's own table, which names the folder of an entry before there is one. */
export async function reserveId(db: Database, tipo: TipoInscripcion): Promise<number> {
  const { tabla } = FORMAS[tipo]
  const reserved = await sql<{ id: number }>`select nextval(pg_get_serial_sequence(${tabla}, 'id')) as id`.execute(db)
  return reserved.rows[0]!.id
}

/**
 * Enters a registration with all its documents, within the caller's transaction. Who gave an address gets the folio by
 * mail.
 * @param sitio the site's own origin, for the mail
 * @returns the entry's id
 */
export async function insertInscripcion(tx: Database, nueva: InscripcionNueva, sitio: string): Promise<number> {
  const { tipo, edicion, folio, datos, at } = nueva
  const forma = FORMAS[tipo]
  const resumen = resumenDe(forma, datos)
  const { id } = await tx
    .insertInto('inscripciones')
    .values({ tipo, edicion, folio, ...resumen, created_at: at })
    .returning('id')
    .executeTakeFirstOrThrow()
  const fila = {
    ...{ id: nueva.id, inscripcion_id: id, carpeta: nueva.carpeta, metadata_path: nueva.metadataPath, created_at: at },
    ...datos,
  }
  // The columns of a form's table are its descriptors' names, which the types of the tables do not know of.
  await tx
    .insertInto(forma.tabla)
    .values(fila as never)
    .execute()
  await insertDocumentos(tx, id, nueva.documentos, at)
  if (resumen.correo !== null)
    await encolarCorreo(tx, {
      ...cartaDeInscripcion(folio),
      ...{ to: resumen.correo, sitio, inscripcion: id },
      idempotencyKey: `inscripcion:${folio}`,
    })
  return id
}

async function insertDocumentos(
  tx: Database,
  inscripcion: number,
  documentos: readonly DocumentoNuevo[],
  at: Date,
): Promise<void> {
  await tx
    .insertInto('documentos')
    .values(
      documentos.map(({ clase, lado, path, nombreArchivo, contentType, bytes, sha256 }) => ({
        ...{ inscripcion_id: inscripcion, clase, lado, path, sha256, recibido_at: at },
        ...{ nombre_archivo: nombreArchivo, content_type: contentType, size_bytes: bytes },
      })),
    )
    .execute()
}

/** A document that takes the place of another one, because a solicitud asked for it. */
export interface Reposicion {
  tipo: TipoInscripcion
  inscripcion: number
  solicitud: number
  /** Paths of what it takes the place of: whoever changed that meanwhile was first. */
  antes: { documento: string; metadata: string }
  metadataPath: string
  documentos: readonly DocumentoNuevo[]
  /** By the site's clock. */
  at: Date
}

/** The person, who needs no account to send what was asked for. */
const LA_PERSONA: Autor = { quien: null, desde: 'folio' }

/**
 * Takes a document that was asked for again, within the caller's transaction. The old one stays in the history; with the
 * last one that was asked for, the entry goes back to whoever judges it.
 * @returns false when somebody else was first, or the organisers do not ask for it any more: the caller takes all back
 */
export async function replaceDocumento(tx: Database, reposicion: Reposicion): Promise<boolean> {
  const { tipo, inscripcion, solicitud, antes, at } = reposicion
  const entry = await tx
    .selectFrom('inscripciones')
    .select('estado')
    .where('id', '=', inscripcion)
    .forUpdate()
    .executeTakeFirst()
  if (entry === undefined) return false
  const answered = await tx
    .updateTable('solicitudes')
    .set({ cumplida_at: at })
    .where('id', '=', solicitud)
    .where('cumplida_at', 'is', null)
    .where('retirada_at', 'is', null)
    .executeTakeFirstOrThrow()
  const replaced = await tx
    .updateTable('documentos')
    .set({ reemplazado_at: at })
    .where('inscripcion_id', '=', inscripcion)
    .where('path', '=', antes.documento)
    .where('reemplazado_at', 'is', null)
    .executeTakeFirstOrThrow()
  const moved = await tx
    .updateTable(FORMAS[tipo].tabla)
    .set({ metadata_path: reposicion.metadataPath })
    .where('inscripcion_id', '=', inscripcion)
    .where('metadata_path', '=', antes.metadata)
    .executeTakeFirstOrThrow()
  if ([answered, replaced, moved].some(({ numUpdatedRows }) => numUpdatedRows !== 1n)) return false
  await insertDocumentos(tx, inscripcion, reposicion.documentos, at)
  const missing = await tx
    .selectFrom('solicitudes')
    .select('id')
    .where('inscripcion_id', '=', inscripcion)
    .where('cumplida_at', 'is', null)
    .where('retirada_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  const { estado } = entry
  const isWaiting = missing !== undefined || estado === 'en-revision'
  await move(
    tx,
    { id: inscripcion, at },
    isWaiting ? undefined : { de: estado, a: 'en-revision', nota: null },
    LA_PERSONA,
  )
  return true
}

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
    await move(tx, vista, { de, a, nota: nota || null, paraPersona }, autor)
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
  vista: EntradaVista,
  { documento, nota, sitio }: { documento: number; nota: string; sitio: string },
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
  // A document that the person sends is no step of its own while another is still awaited.
  const sent = await tx
    .selectFrom('documentos')
    .select('recibido_at as at')
    .where('inscripcion_id', '=', id)
    .orderBy('recibido_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return last && !(sent && sent.at > last.at)
    ? { quien: last.email, at: last.at }
    : { quien: null, at: sent?.at ?? null }
}

/** To the microsecond, which a Date does not hold: by it, what a change ceased to ask for is known as its own. */
const atOf = (cambio: number) => sql<Date>`(select at from cambios where id = ${cambio})`

interface Paso {
  de: EstadoInscripcion
  a: EstadoInscripcion
  nota: string | null
  paraPersona?: boolean
}

/**
 * The one place that writes an entry's state, version and history, and its line of the log.
 * @param paso undefined: something of the entry changed, and not its state
 */
async function move(
  tx: Database,
  { id, at }: Pick<EntradaVista, 'id' | 'at'>,
  paso: Paso | undefined,
  autor: Autor,
): Promise<void> {
  await tx
    .updateTable('inscripciones')
    .set({ version: sql`version + 1`, ...(paso && { estado: paso.a }) })
    .where('id', '=', id)
    .execute()
  if (!paso) return
  const { de, a, nota, paraPersona = false } = paso
  const made = await tx
    .insertInto('cambios')
    .values({ inscripcion_id: id, de, a, nota, para_persona: paraPersona, quien: autor.quien, ...(at && { at }) })
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
