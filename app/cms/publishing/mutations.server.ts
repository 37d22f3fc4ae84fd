import { sql } from 'kysely'
import { type Actor, writeAuditLog } from '#app/audit/mutations.server.ts'
import { readDraft } from '#app/cms/drafts/draft-store.server.ts'
import { findFileByPath } from '#app/cms/media/file-store.server.ts'
import { type FieldFault, formFaultOf } from '#app/cms/schema/faults.ts'
import {
  type ContentFault,
  checkDocuments,
  type EditionDocuments,
  type EditionValues,
  listNamedFiles,
} from '#app/cms/schema/read-content.server.ts'
import { ADVISORY_LOCKS } from '#app/core/db/advisory-locks.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import {
  insertPublication,
  notifyProcesses,
  type Publication,
  readCurrentYear,
  readDraftBase,
  readLatestPublication,
  readPublication,
  readPublicationInPreparation,
} from './publications.server.ts'
import {
  adviceOnMovedOpening,
  adviceOnMovedPlaces,
  closingOf,
  hasSameReserved,
  hasSameWithdrawn,
  withVoteDatesOf,
} from './rules.ts'
import { documentsWithoutWithdrawn } from './withdrawal.server.ts'

export type PublicationResult =
  | { ok: true; publicationId: number }
  /** Another publication is being prepared. `author` is the email address of its account; null without a known account. */
  | { ok: false; reason: 'busy'; author: string | null }
  /** The draft has changed since the organiser reviewed it. */
  | { ok: false; reason: 'version' }
  /** The site shows these documents already. */
  | { ok: false; reason: 'unchanged' }
  /** The documents have faults, or there is an objection to the candidates (`objectionRefusal`). */
  | { ok: false; reason: 'faults'; faults: FieldFault[] }
  /** The edition was never published, or the publication to go back to does not exist. */
  | { ok: false; reason: 'unknown' }
  /** The vote's opening or closing must not be moved as the publication does. */
  | { ok: false; reason: 'closing'; remedy: string }
  /** The edition is not displayed, and the request does not open it, or must not, since a later edition is displayed. */
  | { ok: false; reason: 'unopened' }
  /** The publication changes the reserved part (`hasSameReserved`), and the account lacks the permission. */
  | { ok: false; reason: 'reserved' }

type PublishingServices = Pick<Services, 'db' | 'clock'>

interface PublishingPermission {
  /** Whether the account may change the reserved part (`hasSameReserved`). */
  mayChangeReserved: boolean
  /** Asks for reauthentication before the reserved part changes. @throws the prompt, unless the last authentication is recent */
  confirm(): Promise<void>
}

interface PublicationRequest {
  year: number
  /** Version of the draft that the organiser reviewed. */
  version: number
  note: string
  /** Whether the edition shall replace the displayed edition. */
  isToBeOpened?: boolean | undefined
  /**
   * Checks the documents against other data, such as votes that would lose their candidate.
   * @returns the objection in Spanish, or undefined
   */
  check(documents: EditionDocuments): Promise<string | undefined>
  permission: PublishingPermission
  /** Returns whether an edition's vote has begun. From then on, its opening and its candidates' places are fixed. */
  hasVoteBegun(tx: Database, year: number): Promise<boolean>
  /**
   * Draws up the record of a moved closing, if the closing may be moved.
   * @param dates ISO moments; `newClosing` is the publication's closing
   * @returns `acta`, the record that takes effect with the publication, absent if the closing stays or the vote has no opening
   * record; or `remedy`, the objection in Spanish
   */
  drawUpClosingMove(
    tx: Database,
    dates: { closingInForce: string; newClosing: string },
  ): Promise<{ ok: true; acta?: object } | { ok: false; remedy: string }>
}

type RollbackRequest = Pick<PublicationRequest, 'note' | 'check' | 'permission' | 'hasVoteBegun'> & {
  publicationId: number
}

const refusalOfFaults = (faults: readonly ContentFault[], values: EditionValues): PublicationResult => ({
  ok: false,
  reason: 'faults',
  faults: faults.map((fault) => formFaultOf(fault, values)),
})

/** Returns the refusal for an objection to the candidates or to their votes, which the form shows at the list of candidates. */
const objectionRefusal = (remedy: string): PublicationResult =>
  refusalOfFaults([{ archivo: 'candidatas.yaml', campo: 'candidatas', remedio: remedy }], {})

const WITHDRAWAL_MESSAGE =
  'dice otra cosa de quién se retiró, y eso sólo lo cambia «Retirar a una candidata»: descarta el borrador de las candidatas y escríbelo de nuevo'

/**
 * Checks a requested publication against the publication in force and the account's permission.
 * @returns the refusal; undefined if the publication may proceed
 * @throws the reauthentication prompt of `permission.confirm`
 */
async function checkChange(
  tx: Database,
  { year, before, after }: { year: number; before: EditionValues; after: EditionValues },
  { permission, hasVoteBegun }: Pick<PublicationRequest, 'permission' | 'hasVoteBegun'>,
): Promise<PublicationResult | undefined> {
  if (!hasSameReserved(before, after)) {
    if (!permission.mayChangeReserved) return { ok: false, reason: 'reserved' }
    await permission.confirm()
  }
  if (!hasSameWithdrawn(before, after)) return objectionRefusal(WITHDRAWAL_MESSAGE)
  const [placesAdvice, openingAdvice] = [adviceOnMovedPlaces(before, after), adviceOnMovedOpening(before, after)]
  if ((placesAdvice ?? openingAdvice) === undefined || !(await hasVoteBegun(tx, year))) return undefined
  return openingAdvice === undefined
    ? objectionRefusal(placesAdvice!)
    : { ok: false, reason: 'closing', remedy: `No se publicó: ${openingAdvice}.` }
}

/**
 * Repeats the checks of the reserved part, the withdrawn candidates and the places in the transaction that puts a publication in
 * force, since the publication in force and the account's permission may have changed. These checks let a publication from the
 * terminal, without an account, change everything but the candidates' places in a vote that has begun.
 * @returns the objection in Spanish; undefined if the publication may go into force
 */
export async function recheckPublication(
  tx: Database,
  { edicion, valores, quien }: Pick<Publication, 'edicion' | 'valores'> & { quien: string | null },
  {
    mayChangeReserved,
    hasVoteBegun,
  }: { mayChangeReserved(tx: Database, accountId: string): Promise<boolean> } & Pick<
    PublicationRequest,
    'hasVoteBegun'
  >,
): Promise<string | undefined> {
  const before = (await readLatestPublication(tx, edicion))?.valores
  if (!before) return undefined
  if (quien !== null) {
    if (!hasSameReserved(before, valores) && !(await mayChangeReserved(tx, quien)))
      return 'mueve lo que sólo publica quien lleva todo el panel: fechas, prensa, reglas de la votación o quién ganó'
    if (!hasSameWithdrawn(before, valores)) return WITHDRAWAL_MESSAGE
  }
  const advice = adviceOnMovedPlaces(before, valores)
  return advice !== undefined && (await hasVoteBegun(tx, edicion)) ? advice : undefined
}

/**
 * Requests the publication of an edition's draft. The draft keeps its documents until the publication is in force.
 * @throws the reauthentication prompt of `permission.confirm`
 */
export function requestPublication(
  { db, clock }: PublishingServices,
  publicationRequest: PublicationRequest,
  actor: Actor,
): Promise<PublicationResult> {
  const { year, version, note, isToBeOpened = false, check, drawUpClosingMove } = publicationRequest
  return db.transaction().execute(async (tx) => {
    const busyRefusal = await lockPublishingAndDraft(tx, year)
    if (busyRefusal) return busyRefusal
    const base = await readDraftBase(tx, year)
    if (!base) return { ok: false, reason: 'unknown' }
    const draft = await readDraft(tx, year, base.valores)
    if (draft.version !== version) return { ok: false, reason: 'version' }
    const currentYear = await readCurrentYear(tx)
    const isCurrent = currentYear === year
    // The panel opens an edition once: it never displays a past edition again.
    if (!isCurrent && (!isToBeOpened || year < (currentYear ?? 0))) return { ok: false, reason: 'unopened' }
    if (isCurrent && !Object.values(draft.documents).some(({ isChanged }) => isChanged))
      return { ok: false, reason: 'unchanged' }
    const { hashByPath, validation } = await checkDraft(tx, base, draft.values)
    if (validation.faults.length > 0) return refusalOfFaults(validation.faults, draft.values)
    const refusal = await checkChange(tx, { year, before: base.valores, after: draft.values }, publicationRequest)
    if (refusal) return refusal
    const objection = await check(validation.documents as EditionDocuments)
    if (objection !== undefined) return objectionRefusal(objection)
    const closingMove = await drawUpClosingMove(tx, {
      closingInForce: closingOf(base.valores),
      newClosing: closingOf(draft.values),
    })
    if (!closingMove.ok) return { ok: false, reason: 'closing', remedy: closingMove.remedy }
    const publicationId = await insertPublication(
      tx,
      {
        ...(closingMove.acta && { acta: JSON.stringify(closingMove.acta) }),
        edicion: year,
        valores: draft.values,
        archivos: hashByPath,
        origen: 'panel',
        borrador: version,
        quien: actor.quien ?? undefined,
        nota: note,
      },
      'preparando',
      clock.now(),
    )
    await writeAuditLog(
      tx,
      actor,
      isCurrent
        ? { que: 'sitio.publicado', edicion: year, publicacion: publicationId }
        : { que: 'sitio.edicion.abierta', edicion: year },
    )
    await notifyProcesses(tx)
    return { ok: true, publicationId }
  })
}

/**
 * Requests a return to an earlier publication of the displayed edition. Withdrawals, the dates of a vote that has begun, and the
 * draft stay.
 * @throws the reauthentication prompt of `permission.confirm`
 */
export function rollBack(
  { db, clock }: PublishingServices,
  rollbackRequest: RollbackRequest,
  actor: Actor,
): Promise<PublicationResult> {
  const { publicationId: id, note, check, hasVoteBegun } = rollbackRequest
  return db.transaction().execute(async (tx) => {
    const storedPublication = await readPublication(tx, id)
    if (!storedPublication) return { ok: false, reason: 'unknown' }
    const { edicion } = storedPublication
    const busyRefusal = await lockPublishingAndDraft(tx, edicion)
    if (busyRefusal) return busyRefusal
    if ((await readCurrentYear(tx)) !== edicion) return { ok: false, reason: 'unopened' }
    // The older publication is read again under the lock, since a candidate may have been withdrawn meanwhile.
    const olderPublication = (await readPublication(tx, id))!
    const { archivos } = olderPublication
    const valuesWithoutWithdrawn = await documentsWithoutWithdrawn(tx, edicion, olderPublication.valores)
    const publicationInForce = await readLatestPublication(tx, edicion)
    if (publicationInForce?.huella === olderPublication.huella) return { ok: false, reason: 'unchanged' }
    const values =
      publicationInForce && (await hasVoteBegun(tx, edicion))
        ? withVoteDatesOf(valuesWithoutWithdrawn, publicationInForce.valores)
        : valuesWithoutWithdrawn
    const { documents, faults } = checkDocuments(values, (path) => path in archivos)
    if (faults.length > 0) return refusalOfFaults(faults, values)
    const refusal =
      publicationInForce &&
      (await checkChange(tx, { year: edicion, before: publicationInForce.valores, after: values }, rollbackRequest))
    if (refusal) return refusal
    const objection = await check(documents as EditionDocuments)
    if (objection !== undefined) return objectionRefusal(objection)
    const publicationId = await insertPublication(
      tx,
      { edicion, valores: values, archivos, origen: 'regreso', de: id, quien: actor.quien ?? undefined, nota: note },
      'preparando',
      clock.now(),
    )
    await writeAuditLog(tx, actor, { que: 'sitio.regresado', edicion, publicacion: publicationId, de: id })
    await notifyProcesses(tx)
    return { ok: true, publicationId }
  })
}

/** Takes the advisory locks of publishing and of the draft. @returns the refusal while a publication is being prepared */
async function lockPublishingAndDraft(tx: Database, year: number): Promise<PublicationResult | undefined> {
  await sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.recordPublication})`.execute(tx)
  await sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.writeDraft}, ${year})`.execute(tx)
  const waitingPublication = await readPublicationInPreparation(tx)
  if (!waitingPublication) return undefined
  const authorRow = waitingPublication.quien
    ? await tx.selectFrom('profiles').select('email').where('id', '=', waitingPublication.quien).executeTakeFirst()
    : undefined
  return { ok: false, reason: 'busy', author: authorRow?.email ?? null }
}

/** Finds the faults of a draft, and the SHA-256 of its files. */
async function checkDraft(db: Database, base: Publication, values: EditionValues) {
  const { hashByPath } = await findFileHashes(db, base, values)
  return { hashByPath, validation: checkDocuments(values, (path) => path in hashByPath) }
}

/** Finds the SHA-256 of the files that documents name; leaves out files that the site does not have. */
export async function findFileHashes(db: Database, base: Publication, values: EditionValues) {
  const paths = new Set(listNamedFiles(values).map(({ path }) => path))
  const hashes = await Promise.all(
    [...paths].map(async (path) => [path, base.archivos[path] ?? (await findFileByPath(db, path))?.sha256] as const),
  )
  return { hashByPath: Object.fromEntries(hashes.filter((entry): entry is [string, string] => entry[1] !== undefined)) }
}
