import { sql } from 'kysely'
import { type Actor, writeAuditLog } from '#app/audit/mutations.server.ts'
import { readDraft } from '#app/cms/drafts/draft-store.server.ts'
import { findFileByPath } from '#app/cms/media/file-store.server.ts'
import {
  checkDocuments,
  type EditionDocuments,
  type Falla,
  filesNamed,
  type Values,
} from '#app/cms/schema/read-content.server.ts'
import { ADVISORY_LOCKS } from '#app/core/db/advisory-locks.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import {
  insertPublication,
  notifyProcesses,
  type Publication,
  readDraftBase,
  readPublication,
  readPublicationInPreparation,
  readUltima,
} from './publications.server.ts'
import { isSameWithdrawn, movedPlaces, reservedPart } from './rules.ts'
import { documentsWithoutWithdrawn } from './withdrawal.server.ts'

export type PublicationResult =
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

interface RequestDetails {
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
  comprueba(documents: EditionDocuments): Promise<string | undefined>
  permission: Permission
  /** Whether the vote of an edition has begun: from then on its candidates keep their places. */
  empezada(tx: Database, year: number): Promise<boolean>
  /**
   * Asks the count whether the vote's closing may be moved.
   * @param dates the closing in force, and the one of this publication
   * @returns the act that is in force together with the publication, if the vote under way needs one; else why not
   */
  mueve(
    tx: Database,
    dates: { antes: string; ahora: string },
  ): Promise<{ ok: true; acta?: object } | { ok: false; remedio: string }>
}

type RollbackRequest = Pick<RequestDetails, 'nota' | 'comprueba' | 'permission' | 'empezada'> & { publicacion: number }

/** When the vote of an edition closes. */
const closingOf = (values: Values) =>
  (values['edicion.yaml'] as { fechas: { cierreVotacion: string } }).fechas.cierreVotacion

/** The documents with another's closing of the vote. */
export function withClosingOf(values: Values, others: Values): Values {
  const card = values['edicion.yaml'] as { fechas: object }
  return {
    ...values,
    'edicion.yaml': { ...card, fechas: { ...card.fechas, cierreVotacion: closingOf(others) } },
  }
}

/** A fault of the list of candidates. */
const ofCandidates = (remedy: string): PublicationResult => ({
  ok: false,
  reason: 'fallas',
  fallas: [{ archivo: 'candidatas.yaml', campo: 'candidatas', remedio: remedy }],
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
  { anio, before, after }: { anio: number; before: Values; after: Values },
  { permission, empezada }: Pick<RequestDetails, 'permission' | 'empezada'>,
): Promise<PublicationResult | undefined> {
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
  { edicion, valores, quien }: Pick<Publication, 'edicion' | 'valores'> & { quien: string | null },
  {
    mayReserved,
    empezada,
  }: { mayReserved(tx: Database, who: string): Promise<boolean> } & Pick<RequestDetails, 'empezada'>,
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
export function askToPublish(
  { db, clock }: Parts,
  requested: RequestDetails,
  actor: Actor,
): Promise<PublicationResult> {
  const { anio, version, nota, abrir = false, comprueba, mueve } = requested
  return db.transaction().execute(async (tx) => {
    const busy = await takeTurn(tx, anio)
    if (busy) return busy
    const base = await readDraftBase(tx, anio)
    if (!base) return { ok: false, reason: 'desconocida' }
    const draft = await readDraft(tx, anio, base.valores)
    if (draft.version !== version) return { ok: false, reason: 'version' }
    const isActual = await tx
      .selectFrom('ediciones')
      .select('anio')
      .where('actual', 'is', true)
      .where('anio', '=', anio)
      .executeTakeFirst()
    if (!isActual && !abrir) return { ok: false, reason: 'cerrada' }
    if (isActual && !Object.values(draft.documentos).some(({ cambia }) => cambia)) return { ok: false, reason: 'nada' }
    const { archivos, fallas } = await checkDraft(tx, base, draft.valores)
    if (fallas.fallas.length > 0) return { ok: false, reason: 'fallas', fallas: fallas.fallas }
    const held = await heldBack(tx, { anio, before: base.valores, after: draft.valores }, requested)
    if (held) return held
    const parted = await comprueba(fallas.archivos as EditionDocuments)
    if (parted !== undefined) return ofCandidates(parted)
    const moved = await mueve(tx, { antes: closingOf(base.valores), ahora: closingOf(draft.valores) })
    if (!moved.ok) return { ok: false, reason: 'cierre', remedio: moved.remedio }
    const publication = await insertPublication(
      tx,
      {
        ...(moved.acta && { acta: JSON.stringify(moved.acta) }),
        edicion: anio,
        valores: draft.valores,
        archivos,
        origen: 'panel',
        borrador: version,
        quien: actor.quien ?? undefined,
        nota,
      },
      'preparando',
      clock.now(),
    )
    await writeAuditLog(
      tx,
      actor,
      isActual
        ? { que: 'sitio.publicado', edicion: anio, publicacion: publication }
        : { que: 'sitio.edicion.abierta', edicion: anio },
    )
    await notifyProcesses(tx)
    return { ok: true, publicacion: publication }
  })
}

/** Makes an earlier publication of an edition the current one again. The draft stays as it is. */
export function rollBack({ db, clock }: Parts, requested: RollbackRequest, actor: Actor): Promise<PublicationResult> {
  const { publicacion: id, nota, comprueba, empezada } = requested
  return db.transaction().execute(async (tx) => {
    const found = await readPublication(tx, id)
    if (!found) return { ok: false, reason: 'desconocida' }
    const { edicion } = found
    const busy = await takeTurn(tx, edicion)
    if (busy) return busy
    // Somebody may have been withdrawn from it until now.
    const older = (await readPublication(tx, id))!
    const { archivos } = older
    const withoutWithdrawn = await documentsWithoutWithdrawn(tx, edicion, older.valores)
    const newest = await readUltima(tx, edicion)
    if (newest?.huella === older.huella) return { ok: false, reason: 'nada' }
    const values =
      newest && (await empezada(tx, edicion)) ? withClosingOf(withoutWithdrawn, newest.valores) : withoutWithdrawn
    const { archivos: documents, fallas } = checkDocuments(values, (path) => path in archivos)
    if (fallas.length > 0) return { ok: false, reason: 'fallas', fallas }
    const held = newest && (await heldBack(tx, { anio: edicion, before: newest.valores, after: values }, requested))
    if (held) return held
    const parted = await comprueba(documents as EditionDocuments)
    if (parted !== undefined) return ofCandidates(parted)
    const publication = await insertPublication(
      tx,
      { edicion, valores: values, archivos, origen: 'regreso', de: id, quien: actor.quien ?? undefined, nota },
      'preparando',
      clock.now(),
    )
    await writeAuditLog(tx, actor, { que: 'sitio.regresado', edicion, publicacion: publication, de: id })
    await notifyProcesses(tx)
    return { ok: true, publicacion: publication }
  })
}

/** One publication at a time; the draft holds still while it is read. @returns why it is not one's turn */
async function takeTurn(tx: Database, year: number): Promise<PublicationResult | undefined> {
  await sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.editar})`.execute(tx)
  await sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.redactar}, ${year})`.execute(tx)
  const waiting = await readPublicationInPreparation(tx)
  if (!waiting) return undefined
  const who = waiting.quien
    ? await tx.selectFrom('profiles').select('email').where('id', '=', waiting.quien).executeTakeFirst()
    : undefined
  return { ok: false, reason: 'ocupado', quien: who?.email ?? null }
}

/** What is wrong with a draft, and where its files are. */
async function checkDraft(db: Database, base: Publication, values: Values) {
  const { archivos } = await filesOf(db, base, values)
  return { archivos, fallas: checkDocuments(values, (path) => path in archivos) }
}

/** Where the files are that a draft names. @returns `archivos`: path in the edition → sha256 */
export async function filesOf(db: Database, base: Publication, values: Values) {
  const paths = new Set(filesNamed(values).map(({ ruta }) => ruta))
  const found = await Promise.all(
    [...paths].map(async (path) => [path, base.archivos[path] ?? (await findFileByPath(db, path))?.sha256] as const),
  )
  return { archivos: Object.fromEntries(found.filter((one): one is [string, string] => one[1] !== undefined)) }
}
