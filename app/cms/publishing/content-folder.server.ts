import { lstatSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { sql } from 'kysely'
import { contentTypeOf, type ImageManifest, imageManifest } from '#app/cms/media/image-manifest.server.ts'
import {
  CONTENT_FOLDER,
  type ContentFault,
  type EditionDocuments,
  type EditionValues,
  RECORD_FILE,
  readEdition,
  withoutPendingCandidates,
} from '#app/cms/schema/read-content.server.ts'
import { ADVISORY_LOCKS } from '#app/core/db/advisory-locks.ts'
import type { Services } from '#app/core/http/services.server.ts'
import {
  insertPublication,
  publicationFingerprint,
  readCurrentPublication,
  setCurrentPublication,
} from './publications.server.ts'

/** The edition in content/, ready for publication, or its faults. */
export type ContentFolder =
  | {
      ok: true
      edition: number
      values: EditionValues
      documents: EditionDocuments
      /** SHA-256 by path in the edition. */
      files: Record<string, string>
      fingerprint: string
      manifest: ImageManifest
    }
  | { ok: false; faults: ContentFault[] }

/** Path, from the project's root, of the file with the faults of content/ that kept the build from rendering. */
export const CONTENT_FAULTS_PATH = 'build/pages/fallas.json'

/**
 * Reads the edition in content/, without its candidates while they are still another year's (`withoutPendingCandidates`).
 * @param root the project's folder, which has been built
 */
export async function readContentFolder(root = '.'): Promise<ContentFolder> {
  const faultsJson = await readFile(join(root, CONTENT_FAULTS_PATH), 'utf8').catch(() => undefined)
  if (faultsJson !== undefined) return { ok: false, faults: JSON.parse(faultsJson) as ContentFault[] }
  const { name, values, documents, faults } = withoutPendingCandidates(await readEdition(root))
  if (faults.length > 0 || name === undefined) return { ok: false, faults }
  const manifest = await imageManifest(root)
  const files = Object.fromEntries(
    [...Object.entries(manifest.photos), ...Object.entries(manifest.files)].map(
      ([path, { sha256 }]) => [path, sha256] as const,
    ),
  )
  return {
    ok: true,
    edition: name,
    values,
    documents: documents as EditionDocuments,
    files,
    fingerprint: publicationFingerprint(values, files),
    manifest,
  }
}

/**
 * Finds the sealed record of an edition in content/.
 * @returns path of the file, in the format of /misspopularidad/acta.json; undefined without a record
 */
export const contentRecordPath = (edition: number, root = '.'): string | undefined => {
  const file = join(root, CONTENT_FOLDER, String(edition), RECORD_FILE)
  // A symbolic link is not followed, since its target is no part of the edition.
  return lstatSync(file, { throwIfNoEntry: false })?.isFile() ? file : undefined
}

/**
 * Publishes content/, which the build has rendered, if nothing was published yet, or if the current publication came from
 * content/ and content/ has changed since.
 */
export async function publishContentFolder(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  { edition, values, files, fingerprint, manifest }: Extract<ContentFolder, { ok: true }>,
): Promise<void> {
  const now = clock.now()
  await db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.recordPublication})`.execute(tx)
    const currentPublication = await readCurrentPublication(tx)
    if (currentPublication && (currentPublication.origen !== 'carpeta' || currentPublication.huella === fingerprint))
      return
    await tx
      .insertInto('archivos_de_edicion')
      .values(fileRowsOf(manifest))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    const id = await insertPublication(
      tx,
      { edicion: edition, valores: values, archivos: files, origen: 'carpeta' },
      'publicada',
      now,
    )
    await setCurrentPublication(tx, { id, edicion: edition }, now)
  })
}

/**
 * Returns database rows for the files of content/, whose bytes are uploaded to the storage after the start. Until then, the
 * `bytes` of a photograph are 0.
 */
const fileRowsOf = ({ photos, files }: ImageManifest) => [
  ...new Map(
    [
      ...Object.entries(files).map(([path, { sha256, bytes = 0 }]) => ({ sha256, tipo: contentTypeOf(path), bytes })),
      ...Object.entries(photos).map(([path, { sha256, width, height, preview }]) => ({
        sha256,
        bytes: 0,
        ancho: width,
        alto: height,
        vista: preview,
        tipo: extname(path) === '.png' ? 'image/png' : 'image/jpeg',
      })),
    ].map((row) => [row.sha256, row] as const),
  ).values(),
]
