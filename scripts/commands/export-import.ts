// npm run edicion: exports an edition from the database into a folder, and imports an edition from a folder.
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { sql } from 'kysely'
import { stringify } from 'yaml'
import { TERMINAL, writeAuditLog } from '#app/audit/mutations.server.ts'
import { describeFiles, downloadObject, ensureLocalFile } from '#app/cms/editions/media-cache.server.ts'
import { fileObjectPath, saveEditionFile } from '#app/cms/media/file-store.server.ts'
import { imageManifest } from '#app/cms/media/image-manifest.server.ts'
import {
  insertPublication,
  notifyProcesses,
  publicationFingerprint,
  readCurrentYear,
  readFileRows,
  readLatestPublication,
  readPublicationInPreparation,
} from '#app/cms/publishing/publications.server.ts'
import { adviceOnMovedPlaces, withVoteDatesOf } from '#app/cms/publishing/rules.ts'
import { documentsWithoutWithdrawn } from '#app/cms/publishing/withdrawal.server.ts'
import { type ContentFault, describeContentFault, readEditionFolder } from '#app/cms/schema/read-content.server.ts'
import { ADVISORY_LOCKS } from '#app/core/db/advisory-locks.ts'
import { type Database, openDatabase, openPool } from '#app/core/db/database.server.ts'
import { readSettings } from '#app/core/process/env.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import type { ObjectStorage } from '#app/core/storage/object-store.server.ts'
import { openStorage } from '#app/core/storage/open-store.server.ts'
import { withTempFolder } from '#app/core/storage/temp-folders.server.ts'
import { createClock } from '#app/core/time/clock.server.ts'
import { findHintFaults } from '#app/entries/definitions/document-hints.ts'
import { hasVoteBegun } from '#app/voting/sealing/moved-closing.server.ts'
import { type Undo, undoAll } from '../../server/undo.ts'
import { connectDatabase } from './connect-database.ts'
import { openFiles } from './folder-files.ts'

interface CommandContext {
  db: Database
  storage: ObjectStorage
  now: Date
  dataDir: string
}

/** Runs work with the site's database and storage, whether the site runs or not. @throws StartError if there is no site */
async function withCommandContext<T>(work: (context: CommandContext) => Promise<T>): Promise<T> {
  const settings = readSettings(process.env)
  const undo: Undo = []
  try {
    const connection = await connectDatabase(settings, undo)
    if (!connection)
      throw new StartError('Todavía no hay ningún sitio en esa carpeta de datos: arráncalo una vez con npm start.')
    const pool = openPool(connection, 3)
    undo.push(() => pool.end())
    const clock = createClock(settings.siteClock)
    const { dataDir } = settings
    return await work({ db: openDatabase(pool), storage: await openStorage(settings), now: clock.now(), dataDir })
  } finally {
    await undoAll(undo)
  }
}

/**
 * Writes the publication in force of a year into a new folder: its documents as YAML, its files unchanged.
 * @returns the result in Spanish
 * @throws StartError if the folder exists, without a site, or if the year has no publication
 */
export const exportEdition = (year: number, contentFolder: string): Promise<string> =>
  withCommandContext(async ({ db, storage }) => {
    const targetFolder = resolve(contentFolder)
    if (existsSync(targetFolder)) throw new StartError(`Ya existe ${contentFolder}: elige una carpeta nueva.`)
    const publication = await readLatestPublication(db, year)
    if (!publication) throw new StartError(`De la edición ${year} no hay nada publicado.`)
    const { valores, archivos } = publication
    const describedFiles = describeFiles(
      archivos,
      await readFileRows(db, Object.values(archivos)),
      await imageManifest().catch(() => undefined),
    )
    // The folder gets its final name when it is complete.
    const tempFolder = `${targetFolder}.parte`
    await rm(tempFolder, { recursive: true, force: true })
    try {
      for (const [path, { source, sha256 }] of describedFiles) {
        const file = join(tempFolder, path)
        await mkdir(dirname(file), { recursive: true })
        if (!(await downloadObject(storage, fileObjectPath(sha256), file)))
          await writeFile(file, await readFile(await ensureLocalFile(storage, { source, sha256 })))
      }
      for (const [document, value] of Object.entries(valores))
        await writeFile(join(tempFolder, document), stringify(value, { lineWidth: 0 }))
      await rename(tempFolder, targetFolder)
    } catch (error) {
      await rm(tempFolder, { recursive: true, force: true })
      throw error
    }
    return `La edición ${year} está en ${contentFolder}: ${Object.keys(valores).length} documentos y ${describedFiles.size} archivos.`
  })

/**
 * Publishes the edition in a folder. A running site shows the edition within seconds, a stopped site at its next start, unless the
 * site shows another year.
 * @returns the result in Spanish
 * @throws StartError without the folder or a site, and with the documents' faults or, if they have none, the files' faults; then
 * nothing is stored. Also while another publication is in preparation, and if a candidate's place in a begun vote would
 * change; then the files are stored, and nothing is published
 */
export async function importEdition(contentFolder: string): Promise<string> {
  const folder = resolve(contentFolder)
  if (!existsSync(folder)) throw new StartError(`No existe la carpeta ${contentFolder}.`)
  const { values, documents, faults } = await readEditionFolder(folder, basename(folder))
  assertNoFaults([...faults, ...findHintFaults(documents)])
  const { anio } = documents['edicion.yaml']!
  return withCommandContext(async ({ db, storage, now, dataDir }) => {
    const { hashes, renamedPaths } = await withTempFolder(dataDir, async (tempFolder) => {
      const openedFiles = await openFiles(db, { folder, documents, tempFolder })
      assertNoFaults(openedFiles.faults)
      const savedHashes: Record<string, string> = {}
      for (const [path, file] of openedFiles.files)
        savedHashes[path] = (await saveEditionFile({ db, storage }, file)).sha256
      return { hashes: savedHashes, renamedPaths: openedFiles.renamedPaths }
    })
    const importedValues = JSON.parse(JSON.stringify(values), (_key, value) => renamedPaths.get(value) ?? value)
    return db.transaction().execute(async (tx) => {
      await sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.recordPublication})`.execute(tx)
      if (await readPublicationInPreparation(tx))
        throw new StartError('Se está publicando otra cosa en este momento: espera un poco y repite la orden.')
      const valuesWithoutWithdrawn = await documentsWithoutWithdrawn(tx, anio, importedValues)
      const latestPublication = await readLatestPublication(tx, anio)
      // Once the vote has begun, its opening is fixed, and its closing can be moved in the panel only, with a reason.
      const isVoteBegun = latestPublication !== undefined && (await hasVoteBegun(tx, anio))
      const newValues = isVoteBegun
        ? withVoteDatesOf(valuesWithoutWithdrawn, latestPublication.valores)
        : valuesWithoutWithdrawn
      const placesAdvice = isVoteBegun ? adviceOnMovedPlaces(latestPublication.valores, newValues) : undefined
      if (placesAdvice !== undefined) throw new StartError(`No se publicó nada: ${placesAdvice}.`)
      const currentYear = await readCurrentYear(tx)
      if (latestPublication?.huella === publicationFingerprint(newValues, hashes))
        return `La edición ${anio} ya dice eso: no había nada que publicar.`
      const isCurrent = currentYear === undefined || currentYear === anio
      const newPublication = { edicion: anio, valores: newValues, archivos: hashes, origen: 'importada' as const }
      const newId = await insertPublication(tx, newPublication, isCurrent ? 'preparando' : 'publicada', now)
      if (!isCurrent)
        await tx
          .insertInto('ediciones')
          .values({ anio, publicacion: newId })
          .onConflict((conflict) => conflict.column('anio').doUpdateSet({ publicacion: newId }))
          .execute()
      await writeAuditLog(tx, TERMINAL, { que: 'sitio.publicado', edicion: anio, publicacion: newId })
      await notifyProcesses(tx)
      return isCurrent
        ? `La edición ${anio} se está publicando: el sitio la muestra en unos segundos, o al arrancar.`
        : `La edición ${anio} quedó guardada; el sitio sigue mostrando la ${currentYear}.`
    })
  })
}

function assertNoFaults(faults: ContentFault[]): void {
  if (faults.length > 0)
    throw new StartError(
      `La carpeta tiene fallas, y no se publicó nada:\n${faults.map(describeContentFault).join('\n')}`,
    )
}
