import { type Autor, anotar } from '#app/audit/mutations.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { encolarCorreo, remiteDe } from '#app/mail/mutations.server.ts'
import { listDestinatarias, readPlantilla } from './data.server.ts'
import { cartaDeAviso, nombreDePila, type Reparo, revisarPalabras, type Valores } from './rules.ts'
import {
  type Destinataria,
  type MotivoDeAviso,
  NOMBRE_DE_OCASION,
  type Ocasion,
  type Palabras,
  type Plantilla,
} from './schema.ts'

/** What keeping words came to; with `version`, the newer words that somebody else kept meanwhile. */
export type ResultadoDePalabras =
  | { ok: true; version: number }
  | { ok: false; reason: 'reparos'; reparos: Reparo[] }
  | { ok: false; reason: 'version'; ahora: Plantilla }

/**
 * Keeps an occasion's words as its next version.
 * @param vista the version that the organiser began from
 */
export async function guardarPalabras(
  db: Database,
  { ocasion, vista, palabras, at }: { ocasion: Ocasion; vista: number; palabras: Palabras; at: Date },
  autor: Autor,
): Promise<ResultadoDePalabras> {
  const reparos = revisarPalabras(ocasion, palabras)
  if (reparos.length > 0) return { ok: false, reason: 'reparos', reparos }
  const before = await readPlantilla(db, ocasion)
  if (before.version !== vista) return { ok: false, reason: 'version', ahora: before }
  const isSame = (['asunto', 'titulo', 'texto'] as const).every((campo) => before[campo] === palabras[campo])
  if (isSame) return { ok: true, version: vista }
  const kept = await db.transaction().execute(async (tx) => {
    const made = await tx
      .insertInto('plantillas')
      .values({ ocasion, version: vista + 1, ...palabras, quien: autor.quien, at })
      .onConflict((conflict) => conflict.doNothing())
      .returning('version')
      .executeTakeFirst()
    if (made) await anotar(tx, autor, { que: 'mensaje.palabras', sobre: NOMBRE_DE_OCASION[ocasion] })
    return made
  })
  return kept ? { ok: true, ...kept } : { ok: false, reason: 'version', ahora: await readPlantilla(db, ocasion) }
}

/** Which message is meant: as the organiser saw the entry when she decided to send it. */
export interface AvisoPedido {
  inscripcion: number
  ocasion: Ocasion
  /** The step that it tells of. */
  paso: number
  /** The first about that step, or another one: pressed twice, one number is one message. */
  vez: number
}

/** With `repetido`, it was queued before. It is queued, not sent: what becomes of it stands with its entry. */
export type ResultadoDeAviso = { ok: true; repetido: boolean } | { ok: false; reason: MotivoDeAviso }

type Trabajo = Pick<Services, 'settings' | 'keyed' | 'clock'>

/**
 * Queues a message that tells somebody of the state of an entry, in the words of now.
 * @param db the database, or the caller's transaction
 */
export function avisar(db: Database, services: Trabajo, pedido: AvisoPedido, autor: Autor): Promise<ResultadoDeAviso> {
  return db.isTransaction
    ? avisarEn(db, services, pedido, autor)
    : db.transaction().execute((tx) => avisarEn(tx, services, pedido, autor))
}

async function avisarEn(
  tx: Database,
  services: Trabajo,
  { inscripcion, ocasion, paso, vez }: AvisoPedido,
  autor: Autor,
): Promise<ResultadoDeAviso> {
  const [una] = await listDestinatarias(tx, [inscripcion], 'held')
  if (!una) return { ok: false, reason: 'borrada' }
  if (una.ocasion !== ocasion || una.paso !== paso) return { ok: false, reason: 'cambio' }
  // The next time, or one that was sent already; none that only a made-up form could mean.
  if (vez > una.avisos.length + 1) return { ok: false, reason: 'cambio' }
  if (una.correo === null) return { ok: false, reason: 'sin-correo' }
  const { version, ...palabras } = await readPlantilla(tx, ocasion)
  const queued = await encolarCorreo(tx, {
    ...cartaDeAviso(ocasion, palabras, valoresDe(una)),
    ...{ to: una.correo, remite: remiteDe(services), inscripcion },
    idempotencyKey: `aviso:${inscripcion}:${ocasion}:${paso}:${vez}`,
  })
  if (!queued.ok) return { ok: false, reason: 'direccion' }
  if (queued.repetido) return { ok: true, repetido: true }
  await tx
    .insertInto('mensajes')
    .values({
      ...{ inscripcion_id: inscripcion, ocasion, paso, vez, version, correo_id: queued.id },
      ...{ quien: autor.quien, at: services.clock.now() },
    })
    .execute()
  await anotar(tx, autor, { que: 'mensaje.aviso', inscripcion })
  return { ok: true, repetido: false }
}

/** What an entry puts into the words. */
export const valoresDe = ({ titular, folio, nota, documentos }: Destinataria): Valores => ({
  ...{ nombre: nombreDePila(titular), folio, nota, documentos },
})

/**
 * Tells the person of what an entry has just come to, in the caller's transaction; whoever left no address is told
 * nothing.
 */
export async function avisarDelPaso(
  tx: Database,
  services: Trabajo,
  inscripcion: number,
  autor: Autor,
): Promise<ResultadoDeAviso> {
  const [una] = await listDestinatarias(tx, [inscripcion])
  if (!una?.ocasion) return { ok: false, reason: 'cambio' }
  return avisar(tx, services, { inscripcion, ocasion: una.ocasion, paso: una.paso, vez: una.avisos.length + 1 }, autor)
}
