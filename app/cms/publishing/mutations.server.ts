import { sql } from 'kysely'
import { type Autor, anotar } from '#app/audit/mutations.server.ts'
import { readBorrador } from '#app/cms/drafts/draft-store.server.ts'
import { archivoDe } from '#app/cms/media/file-store.server.ts'
import {
  type Archivos,
  checkValores,
  type Falla,
  filesNamed,
  type Valores,
} from '#app/cms/schema/read-content.server.ts'
import { CANDADOS } from '#app/core/db/advisory-locks.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import {
  avisa,
  insertPublicacion,
  type Publicacion,
  readDraftBase,
  readPreparando,
  readPublicacion,
  readUltima,
} from './publications.server.ts'
import { isSameWithdrawn, movedPlaces, reservedPart } from './rules.ts'
import { withoutRetiradas } from './withdrawal.server.ts'

export type HechoDePublicacion =
  | { ok: true; publicacion: number }
  /** Somebody is publishing already. */
  | { ok: false; reason: 'ocupado'; quien: string | null }
  /** The draft is not the one that was looked at. */
  | { ok: false; reason: 'version' }
  /** There is nothing to publish. */
  | { ok: false; reason: 'nada' }
  | { ok: false; reason: 'fallas'; fallas: Falla[] }
  | { ok: false; reason: 'desconocida' }
  /** The vote's closing cannot be moved so. */
  | { ok: false; reason: 'cierre'; remedio: string }
  /** The edition has not been opened. */
  | { ok: false; reason: 'cerrada' }
  /** It changes what is reserved (`reservedPart`), and the account may not. */
  | { ok: false; reason: 'reservado' }

type Parts = Pick<Services, 'db' | 'clock'>

/** What an account may publish beyond words and pictures. */
interface Permission {
  /** Whether it may change what is reserved (`reservedPart`). */
  mayReserved: boolean
  /** Asks for the password before something reserved changes. @throws the question, where it was not answered lately */
  confirm(): Promise<void>
}

interface Pedido {
  anio: number
  /** The draft's version that was looked at. */
  version: number
  nota: string
  /** Shows the edition in place of the one that the site has shown so far. */
  abrir?: boolean | undefined
  /**
   * Says what speaks against these documents beyond what they say themselves: votes that would lose their candidate.
   * Undefined: nothing.
   */
  comprueba(documentos: Archivos): Promise<string | undefined>
  permission: Permission
  /** Whether the vote of an edition has begun: from then on its candidates keep their places. */
  empezada(tx: Database, anio: number): Promise<boolean>
  /**
   * Asks the count whether the vote's closing may be moved.
   * @param fechas the closing in force, and the one of this publication
   * @returns the act that is in force together with the publication, if the vote under way needs one; else why not
   */
  mueve(
    tx: Database,
    fechas: { antes: string; ahora: string },
  ): Promise<{ ok: true; acta?: object } | { ok: false; remedio: string }>
}

type PedidoDeRegreso = Pick<Pedido, 'nota' | 'comprueba' | 'permission' | 'empezada'> & { publicacion: number }

/** When the vote of an edition closes. */
const cierreDe = (valores: Valores) =>
  (valores['edicion.yaml'] as { fechas: { cierreVotacion: string } }).fechas.cierreVotacion

/** The documents with another's closing of the vote. */
export function conCierreDe(valores: Valores, otros: Valores): Valores {
  const ficha = valores['edicion.yaml'] as { fechas: object }
  return {
    ...valores,
    'edicion.yaml': { ...ficha, fechas: { ...ficha.fechas, cierreVotacion: cierreDe(otros) } },
  }
}

/** A fault of the list of candidates. */
const ofCandidates = (remedio: string): HechoDePublicacion => ({
  ok: false,
  reason: 'fallas',
  fallas: [{ archivo: 'candidatas.yaml', campo: 'candidatas', remedio }],
})

const WITHDRAWN_ELSEWHERE =
  'dice otra cosa de quién se retiró, y eso sólo lo cambia «Retirar a una candidata»: descarta el borrador de las candidatas y escríbelo de nuevo'

/**
 * Says what a publication of the panel may not change, by what is in force and by the account that publishes it.
 * @returns undefined: nothing speaks against it
 * @throws the question for the password
 */
async function heldBack(
  tx: Database,
  { anio, before, after }: { anio: number; before: Valores; after: Valores },
  { permission, empezada }: Pick<Pedido, 'permission' | 'empezada'>,
): Promise<HechoDePublicacion | undefined> {
  if (reservedPart(before) !== reservedPart(after)) {
    if (!permission.mayReserved) return { ok: false, reason: 'reservado' }
    await permission.confirm()
  }
  if (!isSameWithdrawn(before, after)) return ofCandidates(WITHDRAWN_ELSEWHERE)
  const moved = movedPlaces(before, after)
  return moved !== undefined && (await empezada(tx, anio)) ? ofCandidates(moved) : undefined
}

/**
 * Says once more what speaks against a publication, in the transaction that puts it in force: against what is in force
 * by then, and by what its account may by then. The terminal, which has no account, may everything but move places.
 * @param mayReserved whether an account may change what is reserved
 * @returns in words; undefined: it goes into force
 */
export async function refusalInForce(
  tx: Database,
  { edicion, valores, quien }: Pick<Publicacion, 'edicion' | 'valores'> & { quien: string | null },
  { mayReserved, empezada }: { mayReserved(tx: Database, quien: string): Promise<boolean> } & Pick<Pedido, 'empezada'>,
): Promise<string | undefined> {
  const before = (await readUltima(tx, edicion))?.valores
  if (!before) return undefined
  if (quien !== null) {
    if (reservedPart(before) !== reservedPart(valores) && !(await mayReserved(tx, quien)))
      return 'mueve lo que sólo publica quien lleva todo el panel: fechas, prensa, reglas de la votación o quién ganó'
    if (!isSameWithdrawn(before, valores)) return WITHDRAWN_ELSEWHERE
  }
  const moved = movedPlaces(before, valores)
  return moved !== undefined && (await empezada(tx, edicion)) ? moved : undefined
}

/**
 * Publishes the draft of an edition: it is written down, to be prepared and shown. Nothing of the draft goes before that
 * is done.
 */
export function publica({ db, clock }: Parts, pedido: Pedido, autor: Autor): Promise<HechoDePublicacion> {
  const { anio, version, nota, abrir = false, comprueba, mueve } = pedido
  return db.transaction().execute(async (tx) => {
    const busy = await takeTurn(tx, anio)
    if (busy) return busy
    const base = await readDraftBase(tx, anio)
    if (!base) return { ok: false, reason: 'desconocida' }
    const borrador = await readBorrador(tx, anio, base.valores)
    if (borrador.version !== version) return { ok: false, reason: 'version' }
    const isActual = await tx
      .selectFrom('ediciones')
      .select('anio')
      .where('actual', 'is', true)
      .where('anio', '=', anio)
      .executeTakeFirst()
    if (!isActual && !abrir) return { ok: false, reason: 'cerrada' }
    if (isActual && !Object.values(borrador.documentos).some(({ cambia }) => cambia))
      return { ok: false, reason: 'nada' }
    const { archivos, fallas } = await checkBorrador(tx, base, borrador.valores)
    if (fallas.fallas.length > 0) return { ok: false, reason: 'fallas', fallas: fallas.fallas }
    const held = await heldBack(tx, { anio, before: base.valores, after: borrador.valores }, pedido)
    if (held) return held
    const parted = await comprueba(fallas.archivos as Archivos)
    if (parted !== undefined) return ofCandidates(parted)
    const movido = await mueve(tx, { antes: cierreDe(base.valores), ahora: cierreDe(borrador.valores) })
    if (!movido.ok) return { ok: false, reason: 'cierre', remedio: movido.remedio }
    const publicacion = await insertPublicacion(
      tx,
      {
        ...(movido.acta && { acta: JSON.stringify(movido.acta) }),
        edicion: anio,
        valores: borrador.valores,
        archivos,
        origen: 'panel',
        borrador: version,
        quien: autor.quien ?? undefined,
        nota,
      },
      'preparando',
      clock.now(),
    )
    await anotar(
      tx,
      autor,
      isActual
        ? { que: 'sitio.publicado', edicion: anio, publicacion }
        : { que: 'sitio.edicion.abierta', edicion: anio },
    )
    await avisa(tx)
    return { ok: true, publicacion }
  })
}

/** Makes an earlier publication of an edition the current one again. The draft stays as it is. */
export function regresa({ db, clock }: Parts, pedido: PedidoDeRegreso, autor: Autor): Promise<HechoDePublicacion> {
  const { publicacion: id, nota, comprueba, empezada } = pedido
  return db.transaction().execute(async (tx) => {
    const found = await readPublicacion(tx, id)
    if (!found) return { ok: false, reason: 'desconocida' }
    const { edicion } = found
    const busy = await takeTurn(tx, edicion)
    if (busy) return busy
    // Somebody may have been withdrawn from it until now.
    const older = (await readPublicacion(tx, id))!
    const { archivos } = older
    const sinRetiradas = await withoutRetiradas(tx, edicion, older.valores)
    const newest = await readUltima(tx, edicion)
    if (newest?.huella === older.huella) return { ok: false, reason: 'nada' }
    const valores = newest && (await empezada(tx, edicion)) ? conCierreDe(sinRetiradas, newest.valores) : sinRetiradas
    const { archivos: documentos, fallas } = checkValores(valores, (ruta) => ruta in archivos)
    if (fallas.length > 0) return { ok: false, reason: 'fallas', fallas }
    const held = newest && (await heldBack(tx, { anio: edicion, before: newest.valores, after: valores }, pedido))
    if (held) return held
    const parted = await comprueba(documentos as Archivos)
    if (parted !== undefined) return ofCandidates(parted)
    const publicacion = await insertPublicacion(
      tx,
      { edicion, valores, archivos, origen: 'regreso', de: id, quien: autor.quien ?? undefined, nota },
      'preparando',
      clock.now(),
    )
    await anotar(tx, autor, { que: 'sitio.regresado', edicion, publicacion, de: id })
    await avisa(tx)
    return { ok: true, publicacion }
  })
}

/** One publication at a time; the draft holds still while it is read. @returns why it is not one's turn */
async function takeTurn(tx: Database, anio: number): Promise<HechoDePublicacion | undefined> {
  await sql`select pg_advisory_xact_lock(${CANDADOS.editar})`.execute(tx)
  await sql`select pg_advisory_xact_lock(${CANDADOS.redactar}, ${anio})`.execute(tx)
  const waiting = await readPreparando(tx)
  if (!waiting) return undefined
  const quien = waiting.quien
    ? await tx.selectFrom('profiles').select('email').where('id', '=', waiting.quien).executeTakeFirst()
    : undefined
  return { ok: false, reason: 'ocupado', quien: quien?.email ?? null }
}

/** What is wrong with a draft, and where its files are. */
async function checkBorrador(db: Database, base: Publicacion, valores: Valores) {
  const { archivos } = await filesOf(db, base, valores)
  return { archivos, fallas: checkValores(valores, (ruta) => ruta in archivos) }
}

/** Where the files are that a draft names. @returns `archivos`: path in the edition → sha256 */
export async function filesOf(db: Database, base: Publicacion, valores: Valores) {
  const rutas = new Set(filesNamed(valores).map(({ ruta }) => ruta))
  const found = await Promise.all(
    [...rutas].map(async (ruta) => [ruta, base.archivos[ruta] ?? (await archivoDe(db, ruta))?.sha256] as const),
  )
  return { archivos: Object.fromEntries(found.filter((one): one is [string, string] => one[1] !== undefined)) }
}
