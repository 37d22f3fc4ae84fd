// What npm run edicion does with folders: an edition out of the database, and into it.
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { sql } from 'kysely'
import { stringify } from 'yaml'
import { anotar, TERMINAL } from '#app/audit/mutations.server.ts'
import { describe, fetchInto, localFile } from '#app/cms/editions/media-cache.server.ts'
import { objetoDe, saveArchivo } from '#app/cms/media/file-store.server.ts'
import { imageManifest } from '#app/cms/media/image-manifest.server.ts'
import { conCierreDe } from '#app/cms/publishing/mutations.server.ts'
import {
  avisa,
  huellaDe,
  insertPublicacion,
  readArchivos,
  readPreparando,
  readUltima,
} from '#app/cms/publishing/publications.server.ts'
import { movedPlaces } from '#app/cms/publishing/rules.ts'
import { withoutRetiradas } from '#app/cms/publishing/withdrawal.server.ts'
import { describeFalla, type Falla, readFolder } from '#app/cms/schema/read-content.server.ts'
import { CANDADOS } from '#app/core/db/advisory-locks.ts'
import { type Database, openDatabase, openPool } from '#app/core/db/database.server.ts'
import { readSettings } from '#app/core/process/env.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import type { ObjectStorage } from '#app/core/storage/object-store.server.ts'
import { openStorage } from '#app/core/storage/open-store.server.ts'
import { withTemporal } from '#app/core/storage/temp-folders.server.ts'
import { createClock } from '#app/core/time/clock.server.ts'
import { fallasDePistas } from '#app/entries/definitions/document-hints.ts'
import { hasBegun } from '#app/voting/tally/mutations.server.ts'
import { type Undo, undoAll } from '../server/undo.ts'
import { connect } from './conexion.ts'
import { openFiles } from './edicion-archivos.ts'

interface Taller {
  db: Database
  storage: ObjectStorage
  now: Date
  dataDir: string
}

async function withSite<T>(work: (taller: Taller) => Promise<T>): Promise<T> {
  const settings = readSettings(process.env)
  const undo: Undo = []
  try {
    const connection = await connect(settings, undo)
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
 * Writes what is published of an edition into a new folder: its documents as YAML, its files byte for byte.
 * @returns what was done, in a sentence
 */
export const exportar = (anio: number, carpeta: string): Promise<string> =>
  withSite(async ({ db, storage }) => {
    const target = resolve(carpeta)
    if (existsSync(target)) throw new StartError(`Ya existe ${carpeta}: elige una carpeta nueva.`)
    const publicada = await readUltima(db, anio)
    if (!publicada) throw new StartError(`De la edición ${anio} no hay nada publicado.`)
    const { valores, archivos } = publicada
    const described = describe(
      archivos,
      await readArchivos(db, Object.values(archivos)),
      await imageManifest().catch(() => undefined),
    )
    // The folder is made beside its final place until it is complete.
    const part = `${target}.parte`
    await rm(part, { recursive: true, force: true })
    try {
      for (const [ruta, { source, sha256 }] of described) {
        const file = join(part, ruta)
        await mkdir(dirname(file), { recursive: true })
        if (!(await fetchInto(storage, objetoDe(sha256), file)))
          await writeFile(file, await readFile(await localFile(storage, { source, sha256 })))
      }
      for (const [documento, valor] of Object.entries(valores))
        await writeFile(join(part, documento), stringify(valor, { lineWidth: 0 }))
      await rename(part, target)
    } catch (error) {
      await rm(part, { recursive: true, force: true })
      throw error
    }
    return `La edición ${anio} está en ${carpeta}: ${Object.keys(valores).length} documentos y ${described.size} archivos.`
  })

/**
 * Publishes an edition that lies in a folder; a site that runs shows it in a moment, another one at its next start.
 * @returns what was done, in a sentence
 * @throws StartError with every fault of the folder; then nothing has changed
 */
export async function importar(carpeta: string): Promise<string> {
  const folder = resolve(carpeta)
  if (!existsSync(folder)) throw new StartError(`No existe la carpeta ${carpeta}.`)
  const { valores, archivos, fallas } = await readFolder(folder, basename(folder))
  assertSinFallas([...fallas, ...fallasDePistas(archivos)])
  const { anio } = archivos['edicion.yaml']!
  return withSite(async ({ db, storage, now, dataDir }) => {
    const sumas = await withTemporal(dataDir, async (work) => {
      const opened = await openFiles(db, { folder, archivos, work })
      assertSinFallas(opened.fallas)
      const kept: Record<string, string> = {}
      for (const [ruta, file] of opened.files) kept[ruta] = (await saveArchivo({ db, storage }, file)).sha256
      return kept
    })
    return db.transaction().execute(async (tx) => {
      await sql`select pg_advisory_xact_lock(${CANDADOS.editar})`.execute(tx)
      if (await readPreparando(tx))
        throw new StartError('Se está publicando otra cosa en este momento: espera un poco y repite la orden.')
      const sinRetiradas = await withoutRetiradas(tx, anio, valores)
      const newest = await readUltima(tx, anio)
      // Once the vote has begun its closing is moved in the panel, with a reason, or not at all.
      const isVoting = newest !== undefined && (await hasBegun(tx, anio))
      const deHoy = isVoting ? conCierreDe(sinRetiradas, newest.valores) : sinRetiradas
      const moved = isVoting ? movedPlaces(newest.valores, deHoy) : undefined
      if (moved !== undefined) throw new StartError(`No se publicó nada: ${moved}.`)
      const actual = await tx.selectFrom('ediciones').select('anio').where('actual', 'is', true).executeTakeFirst()
      if (newest?.huella === huellaDe(deHoy, sumas))
        return `La edición ${anio} ya dice eso: no había nada que publicar.`
      const isActual = actual === undefined || actual.anio === anio
      const nueva = { edicion: anio, valores: deHoy, archivos: sumas, origen: 'importada' as const }
      const publicacion = await insertPublicacion(tx, nueva, isActual ? 'preparando' : 'publicada', now)
      if (!isActual)
        await tx
          .insertInto('ediciones')
          .values({ anio, publicacion })
          .onConflict((conflict) => conflict.column('anio').doUpdateSet({ publicacion }))
          .execute()
      await anotar(tx, TERMINAL, { que: 'sitio.publicado', edicion: anio, publicacion })
      await avisa(tx)
      return isActual
        ? `La edición ${anio} se está publicando: el sitio la muestra en unos segundos, o al arrancar.`
        : `La edición ${anio} quedó guardada; el sitio sigue mostrando la ${actual.anio}.`
    })
  })
}

function assertSinFallas(fallas: Falla[]): void {
  if (fallas.length > 0)
    throw new StartError(`La carpeta tiene fallas, y no se publicó nada:\n${fallas.map(describeFalla).join('\n')}`)
}
