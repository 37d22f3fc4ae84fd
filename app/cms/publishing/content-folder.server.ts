import { lstatSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { sql } from 'kysely'
import { contentTypeOf, type ImageManifest, imageManifest } from '#app/cms/media/image-manifest.server.ts'
import {
  asAnnounced,
  CONTENT_FOLDER,
  type ContentFault,
  type EditionDocuments,
  RECORD_FILE,
  readEdition,
  type Values,
} from '#app/cms/schema/read-content.server.ts'
import { ADVISORY_LOCKS } from '#app/core/db/advisory-locks.ts'
import type { Services } from '#app/core/http/services.server.ts'
import {
  fingerprintOf,
  insertPublication,
  readCurrentPublication,
  setCurrentPublication,
} from './publications.server.ts'

/** The edition in content/ is ready for publication, or has faults. */
export type ContentFolder =
  | {
      ok: true
      edition: number
      values: Values
      documents: EditionDocuments
      /** Maps paths in the edition to sha256. */
      files: Record<string, string>
      fingerprint: string
      manifest: ImageManifest
    }
  | { ok: false; faults: ContentFault[] }

/** The build writes the faults of content/ that kept it from rendering into this file of the project's root. */
export const CONTENT_FAULTS_PATH = 'build/pages/fallas.json'

/** Reads the edition in content/. @param root the project's folder, which has been built */
export async function readContentFolder(root = '.'): Promise<ContentFolder> {
  const faultsJson = await readFile(join(root, CONTENT_FAULTS_PATH), 'utf8').catch(() => undefined)
  if (faultsJson !== undefined) return { ok: false, faults: JSON.parse(faultsJson) as ContentFault[] }
  const { name, values, documents, faults } = asAnnounced(await readEdition(root))
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
    fingerprint: fingerprintOf(values, files),
    manifest,
  }
}

/**
 * Finds the sealed record that content/ has for an edition.
 * @returns the path of the file, in the format of /misspopularidad/acta.json; undefined without a record
 */
export const sampleRecordPath = (edition: number, root = '.'): string | undefined => {
  const file = join(root, CONTENT_FOLDER, String(edition), RECORD_FILE)
  // A symbolic link is not followed: its target is no part of the edition.
  return lstatSync(file, { throwIfNoEntry: false })?.isFile() ? file : undefined
}

/**
 * Publishes content/ if nothing was published yet, or if the current publication came from content/ and content/ has
 * changed since. The build has rendered it already.
 */
export async function publishContentFolder(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  { edition, values, files, fingerprint, manifest }: Extract<ContentFolder, { ok: true }>,
): Promise<void> {
  const now = clock.now()
  await db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.recordPublication})`.execute(tx)
    const current = await readCurrentPublication(tx)
    if (current && (current.origen !== 'carpeta' || current.huella === fingerprint)) return
    await tx
      .insertInto('archivos_de_edicion')
      .values(fileRowsOf(manifest))
      .onConflict((one) => one.doNothing())
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

/** Makes database rows for the files of content/, whose bytes are uploaded to the storage after the start. */
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
