import { readdir, rm } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { sql } from 'kysely'
import { type Actor, writeAuditLog } from '#app/audit/mutations.server.ts'
import { EDITION_BUCKET, fileObjectPath, findFileByPath } from '#app/cms/media/file-store.server.ts'
import { fileBaseUrl, IMAGES_FOLDER } from '#app/cms/media/image-manifest.server.ts'
import { withdrawalFingerprint } from '#app/cms/media/stored-objects.server.ts'
import { deleteThumbnails } from '#app/cms/media/thumbnails.server.ts'
import { type EditionValues, listNamedFiles } from '#app/cms/schema/read-content.server.ts'
import { ADVISORY_LOCKS } from '#app/core/db/advisory-locks.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { logErasure } from '#app/core/db/erasure-log.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { placesInVoteOrder } from './places-in-vote-order.ts'
import {
  insertPublication,
  notifyProcesses,
  publicationFingerprint,
  readCurrentYear,
  readLatestPublication,
  readPublicationInPreparation,
} from './publications.server.ts'

/** `busy`: another publication is being prepared; `unknown`: no publication and no draft of the edition has the candidate. */
export type WithdrawalResult = { ok: true; publicationId: number } | { ok: false; reason: 'busy' | 'unknown' }

interface Withdrawal {
  year: number
  candidateId: string
  /** Whether votes may name the candidate; her name then stays, since the tally needs it. */
  hasVotes: boolean
}

/**
 * Removes a candidate from every publication and the draft of an edition, adds her to the erasure log and, if the edition is
 * displayed or past, requests a publication of the displayed edition, so that no page shows her. Her files are deleted later, by
 * `deleteWithdrawnFiles`.
 * @returns id of the requested publication; for a later edition, of its publication in force, or 0 without one
 */
export async function withdrawCandidate(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  { year, candidateId, hasVotes }: Withdrawal,
  actor: Actor,
): Promise<WithdrawalResult> {
  return db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.recordPublication})`.execute(tx)
    await sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.writeDraft}, ${year})`.execute(tx)
    if (await readPublicationInPreparation(tx)) return { ok: false, reason: 'busy' }
    const now = clock.now()
    const publications = await tx
      .selectFrom('publicaciones')
      .select(['id', 'valores', 'archivos'])
      .where('edicion', '=', year)
      .orderBy('id', 'desc')
      .execute()
    const draftRows = await tx
      .selectFrom('borradores')
      .select(['documento', 'valor'])
      .where('edicion', '=', year)
      .execute()
    const draft = Object.fromEntries(draftRows.map(({ documento, valor }) => [documento, valor]))
    const allValues = [draft, ...publications.map(({ valores }) => valores)]
    if (!allValues.some((values) => findCandidate(values, candidateId))) return { ok: false, reason: 'unknown' }
    const withoutThisCandidate = (values: EditionValues) =>
      withoutCandidate(values, candidateId, { hasVotes, since: now.toISOString() })
    const remainingValues = allValues.map(withoutThisCandidate)
    // Files that other parts of the edition also use are kept.
    const keptPaths = new Set(remainingValues.flatMap((values) => listNamedFiles(values).map(({ path }) => path)))
    const candidatePaths = new Set(
      allValues
        .flatMap((values) => listNamedFiles(findCandidate(values, candidateId)).map(({ path }) => path))
        .filter((path) => !keptPaths.has(path)),
    )
    const hashByPath = new Map<string, string>()
    // Files that only the draft names were never published, but are in the storage.
    for (const path of candidatePaths) {
      const file = await findFileByPath(tx, path)
      if (file) hashByPath.set(path, file.sha256)
    }
    for (const [index, { id, archivos }] of publications.entries()) {
      const values = remainingValues[index + 1]!
      for (const path of candidatePaths) if (archivos[path]) hashByPath.set(path, archivos[path])
      const keptFiles = Object.fromEntries(Object.entries(archivos).filter(([path]) => !candidatePaths.has(path)))
      await tx
        .updateTable('publicaciones')
        .set({
          valores: JSON.stringify(values),
          archivos: JSON.stringify(keptFiles),
          huella: publicationFingerprint(values, keptFiles),
        })
        .where('id', '=', id)
        .execute()
    }
    await tx
      .deleteFrom('paginas')
      .where(
        'publicacion',
        'in',
        publications.map(({ id }) => id),
      )
      .execute()
    // The displayed edition's pages show past editions too, so they are rendered anew.
    const currentYear = await readCurrentYear(tx)
    const isShown = currentYear !== undefined && year <= currentYear
    if (isShown)
      await tx
        .deleteFrom('paginas')
        .where('publicacion', 'in', tx.selectFrom('publicaciones').select('id').where('edicion', '=', currentYear))
        .execute()
    const publicationInForce = await readLatestPublication(tx, year)
    const remainingDraft = withWithdrawnOf(remainingValues[0]!, publicationInForce?.valores ?? {})
    for (const { documento } of draftRows)
      await tx
        .updateTable('borradores')
        .set({
          valor: JSON.stringify(remainingDraft[documento]),
          version: sql<number>`nextval('versiones_de_borrador')`,
        })
        .where('edicion', '=', year)
        .where('documento', '=', documento)
        .execute()
    const usedHashes = new Set(
      (await tx.selectFrom('publicaciones').select('archivos').execute()).flatMap(({ archivos }) =>
        Object.values(archivos),
      ),
    )
    const removedFiles = [...hashByPath].filter(([, sha256]) => !usedHashes.has(sha256))
    const generatedNames = [
      ...removedFiles.map(([path, sha256]) => basename(fileBaseUrl(path, sha256))),
      `tarjeta-candidata-${candidateId}`,
    ]
    await tx
      .insertInto('retiradas')
      .values({
        edicion: year,
        candidata: candidateId,
        quien: actor.quien,
        at: now,
        nombres: JSON.stringify(generatedNames),
        sumas: JSON.stringify(removedFiles.map(([, sha256]) => sha256)),
      })
      // The candidate may have come back after an earlier withdrawal. Files that are deleted already are not deleted again, since
      // another candidate may use the same ones by now.
      .onConflict((conflict) =>
        conflict.columns(['edicion', 'candidata']).doUpdateSet({
          nombres: sql`retiradas.nombres || excluded.nombres`,
          sumas: sql`case when retiradas.limpia then excluded.sumas else retiradas.sumas || excluded.sumas end`,
          limpia: false,
        }),
      )
      .execute()
    const shownPublication = isShown ? await readLatestPublication(tx, currentYear) : undefined
    const publicationId =
      isShown && shownPublication
        ? await insertPublication(
            tx,
            {
              edicion: currentYear,
              valores: shownPublication.valores,
              archivos: shownPublication.archivos,
              origen: 'panel',
              quien: actor.quien ?? undefined,
              nota: 'Se retiró a una candidata',
            },
            'preparando',
            now,
          )
        : (publicationInForce?.id ?? 0)
    await writeAuditLog(tx, actor, { que: 'sitio.retirada', edicion: year, sobre: candidateId })
    await notifyProcesses(tx)
    const { clave } = await tx.selectFrom('clave_de_supresiones').select('clave').executeTakeFirstOrThrow()
    await logErasure(tx, withdrawalFingerprint(clave, year, candidateId))
    return { ok: true, publicationId }
  })
}

interface CandidatesDocument {
  candidatas: { id: string; nombre?: string }[]
  retiradas?: { id: string; lugar: number; nombre?: string; desde: string }[]
}

const candidatesDocumentOf = (values: EditionValues) => values['candidatas.yaml'] as CandidatesDocument | undefined

const findCandidate = (values: EditionValues, id: string) =>
  candidatesDocumentOf(values)?.candidatas?.find((candidate) => candidate.id === id)

/** Returns an edition's documents with a candidate moved to the withdrawn, and without the winner if she is the winner. */
function withoutCandidate(
  values: EditionValues,
  id: string,
  { hasVotes, since }: { hasVotes: boolean; since: string },
): EditionValues {
  const candidatesDocument = candidatesDocumentOf(values)
  const candidate = findCandidate(values, id)
  const popularity = values['popularidad.yaml'] as { ganadora?: { candidata: string } } | undefined
  const { ganadora, ...withoutWinner } = popularity ?? {}
  return {
    ...values,
    ...(candidatesDocument &&
      candidate && { 'candidatas.yaml': withCandidateWithdrawn(candidatesDocument, candidate, { hasVotes, since }) }),
    ...(ganadora?.candidata === id && { 'popularidad.yaml': withoutWinner }),
  }
}

function withCandidateWithdrawn(
  { candidatas, retiradas = [], ...rest }: CandidatesDocument,
  candidate: CandidatesDocument['candidatas'][number],
  { hasVotes, since }: { hasVotes: boolean; since: string },
): CandidatesDocument {
  const places = placesInVoteOrder(candidatas.length, retiradas)
  const place = places[candidatas.indexOf(candidate)]!
  const stub = {
    id: candidate.id,
    lugar: place,
    ...(hasVotes && candidate.nombre !== undefined && { nombre: candidate.nombre }),
    desde: since,
  }
  return { ...rest, candidatas: candidatas.filter((other) => other !== candidate), retiradas: [...retiradas, stub] }
}

/**
 * Returns a draft's documents with the withdrawn candidates of the publication in force, since no other list may be published.
 * The draft's own list differs where the draft has another order, has a candidate who was never published, or lacks one.
 */
function withWithdrawnOf(draft: EditionValues, valuesInForce: EditionValues): EditionValues {
  const candidatesDocument = candidatesDocumentOf(draft)
  if (!candidatesDocument?.candidatas) return draft
  const { retiradas: _, ...rest } = candidatesDocument
  const withdrawnCandidates = candidatesDocumentOf(valuesInForce)?.retiradas
  return {
    ...draft,
    'candidatas.yaml': { ...rest, ...(withdrawnCandidates && { retiradas: withdrawnCandidates }) },
  }
}

export async function listWithdrawnIds(db: Database, edition: number): Promise<string[]> {
  const rows = await db.selectFrom('retiradas').select('candidata').where('edicion', '=', edition).execute()
  return rows.map(({ candidata }) => candidata)
}

/** Removes an edition's withdrawn candidates from documents, which may come from a rollback or an import. */
export async function documentsWithoutWithdrawn(
  tx: Database,
  edition: number,
  values: EditionValues,
): Promise<EditionValues> {
  const rows = await tx.selectFrom('retiradas').select(['candidata', 'at']).where('edicion', '=', edition).execute()
  if (rows.length === 0) return values
  const keptValues = rows.reduce(
    (remaining, { candidata, at }) =>
      withoutCandidate(remaining, candidata, { hasVotes: false, since: at.toISOString() }),
    values,
  )
  const candidatesDocument = candidatesDocumentOf(keptValues)
  if (!candidatesDocument?.candidatas) return keptValues
  // The places and names of withdrawn candidates come from the publication in force.
  const knownWithdrawn =
    candidatesDocumentOf((await readLatestPublication(tx, edition))?.valores ?? {})?.retiradas ?? []
  const ids = new Set(knownWithdrawn.map(({ id }) => id))
  const withdrawnCandidates = [
    ...knownWithdrawn,
    ...(candidatesDocument.retiradas ?? []).filter(({ id }) => !ids.has(id)),
  ]
  return { ...keptValues, 'candidatas.yaml': { ...candidatesDocument, retiradas: withdrawnCandidates } }
}

/** Deletes the files of withdrawn candidates on this machine and, if no process has done so yet, in the storage. */
export async function deleteWithdrawnFiles(
  { db, storage, settings }: Pick<Services, 'db' | 'storage' | 'settings'>,
  root = '.',
): Promise<void> {
  const rows = await db.selectFrom('retiradas').select(['edicion', 'candidata', 'nombres', 'sumas', 'limpia']).execute()
  if (rows.length === 0) return
  const fileNames = new Set(rows.flatMap(({ sumas }) => sumas.map((sha256) => `archivo-${sha256}`)))
  const generatedNames = new Set(rows.flatMap(({ nombres }) => nombres))
  const isOfWithdrawnCandidate = (name: string) =>
    generatedNames.has(generatedBaseName(name)) || fileNames.has(name.replace(/\.\w+$/, ''))
  const folder = resolve(root, IMAGES_FOLDER)
  for (const name of await readdir(folder).catch(() => []))
    if (isOfWithdrawnCandidate(name)) await rm(join(folder, name), { force: true })
  for (const sha256 of new Set(rows.flatMap(({ sumas }) => sumas))) await deleteThumbnails({ settings }, sha256)
  for (const { edicion, candidata, nombres, sumas, limpia } of rows) {
    if (limpia) continue
    for (const sha256 of sumas) await storage.remove(EDITION_BUCKET, fileObjectPath(sha256))
    for (const name of nombres)
      for await (const path of storage.list(EDITION_BUCKET, `tamanos/${name}`))
        if (generatedBaseName(basename(path)) === name) await storage.remove(EDITION_BUCKET, path)
    if (sumas.length > 0) await db.deleteFrom('archivos_de_edicion').where('sha256', 'in', sumas).execute()
    await db
      .updateTable('retiradas')
      .set({ limpia: true })
      .where('edicion', '=', edicion)
      .where('candidata', '=', candidata)
      .execute()
  }
}

/** Returns a generated picture's name without size and extension, or a share card's name without hash and extension. */
const generatedBaseName = (name: string) =>
  name.startsWith('tarjeta-') ? name.replace(/-[0-9a-f]{10}\.\w+$/, '') : name.replace(/(-\d+)?\.\w+$/, '')
