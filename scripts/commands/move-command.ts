// npm run mudanza, loaded by mudanza.ts.
import { existsSync } from 'node:fs'
import { cp, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openDatabase, openPool } from '#app/core/db/database.server.ts'
import { readErasuresBesideData, writeErasuresBesideData } from '#app/core/db/erasure-log.server.ts'
import { markDatabaseMoved, markStorageMoved, unmarkDatabase, unmarkStorage } from '#app/core/db/moved-marks.server.ts'
import { startMove } from '#app/core/db/presence.server.ts'
import { runningSite } from '#app/core/process/data-folder-lock.server.ts'
import { writeFileAtomically } from '#app/core/process/durable-files.server.ts'
import { readSettings, type Settings } from '#app/core/process/env.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import { isS3, openDestination } from '#app/core/storage/open-store.server.ts'
import { destinationName, normalizedDestination } from '#app/ops/backup/identity.server.ts'
import { moveSite } from '#app/ops/backup/move.server.ts'
import { comparisonTable } from '#app/ops/backup/restore.server.ts'
import type { Undo } from '../../server/undo.ts'
import { root } from '../prepare.mjs'
import { openTargetDatabase } from './connect-database.ts'
import { resolveFromCaller } from './load-command.ts'
import { openCommandSite, readSecret } from './open-site.ts'
import { parseOptions, runCommand } from './run-command.ts'

const USAGE = `Uso: npm run mudanza -- [--a-archivo ARCHIVO | --a CARPETA] [--objetos s3://cubeta?endpoint=… | --objetos CARPETA] | --quedarse [--json]
--a-archivo nombra un archivo con la dirección de la otra base de datos (postgres://usuario:clave@servidor/base): así la
clave no queda a la vista de quien mire los procesos de la máquina. --a CARPETA es la carpeta de datos de un sitio con su propia base de datos.
Los archivos que están en la carpeta de datos van con --a CARPETA; --objetos los lleva a otro lugar: una cubeta, o la carpeta de datos que los tendrá.
--quedarse quita la marca que una mudanza dejó en el lugar de antes, para trabajar otra vez con él.
Todos los procesos del sitio deben estar detenidos, en todas sus máquinas. Lo de antes queda como está; si se corta, repite la orden.`

const parseArguments = () =>
  parseOptions(USAGE, () => {
    const { values } = parseArgs({
      options: {
        a: { type: 'string' },
        'a-archivo': { type: 'string' },
        objetos: { type: 'string' },
        quedarse: { type: 'boolean', default: false },
        json: { type: 'boolean' },
      },
    })
    const { a: target, objetos, 'a-archivo': file, quedarse } = values
    const targets = [target, file, objetos].filter((value) => value !== undefined)
    if (quedarse ? targets.length > 0 : targets.length === 0 || (target !== undefined && file !== undefined))
      throw new StartError(USAGE)
    return { target, archivo: file, objetos, quedarse }
  })

/**
 * Matches the entries of a data folder that a move copies, or that a start creates. The command lists all others to the operator,
 * since they are not copied.
 */
const KNOWN_ENTRIES =
  /^(session-secret|supresiones|outbox|primer-administrador\.txt|objects|postgres.*|sitio\.pid.*|mando\.sock|construcciones|lugar|miniaturas|temporales|\..*|.*\.sock)$/

const isServer = (target: string) => /^postgres(ql)?:/.test(target)

await runCommand({ isJson: process.argv.includes('--json') }, async (onProgress, undo) => {
  const { archivo, objetos, quedarse, target: typedTarget } = parseArguments()
  const target = archivo === undefined ? typedTarget : await readServerUrl(resolveFromCaller(archivo))
  const settings = readSettings(process.env)
  const { dataDir, storageUrl } = settings
  const running = await runningSite(dataDir)
  if (running)
    throw new StartError(
      `El sitio está en marcha (${running.url}): detenlo antes, para que nada de lo que llegue entretanto se quede atrás.`,
    )
  const site = await openCommandSite(settings, undo)
  const db = openDatabase(site.pool)
  undo.push(await startMove(db))
  if (quedarse) {
    await unmarkDatabase(db)
    await unmarkStorage(site.storage)
    return {
      ok: true,
      line: 'Hecho: este lugar vuelve a ser el del sitio. Lo que llegó al otro no está aquí: no arranques los dos.',
    }
  }
  const folder = target === undefined || isServer(target) ? undefined : resolveFromCaller(target)
  // Files of the old data folder are copied into a new one.
  const objectDestination =
    objetos !== undefined
      ? isS3(objetos)
        ? objetos
        : resolveFromCaller(objetos)
      : storageUrl === undefined && folder !== dataDir
        ? folder
        : undefined
  if (
    objectDestination !== undefined &&
    normalizedDestination(objectDestination) === normalizedDestination(storageUrl ?? dataDir)
  )
    throw new StartError('Los archivos ya están en ese lugar: repite la orden sin --objetos.')
  const storage = objectDestination === undefined ? undefined : await openDestination(objectDestination)
  const moveResult = await moveSite(
    site,
    { pool: target === undefined ? undefined : await openTargetPool(target, settings, undo), storage, dataDir },
    { migrationsFolder: join(root, 'db/migrations'), secret: await readSecret(settings), onProgress },
  )
  const notices = folder === undefined || folder === dataDir ? [] : await copyBesideData(dataDir, folder)
  const { before, rowCounts, objectCount } = moveResult
  const faults = [
    ...moveResult.lostObjects.map((path) => `Falta o está dañado el archivo ${path}.`),
    ...moveResult.differingTables.map((table) => `La tabla ${table} no llegó igual.`),
    ...moveResult.changedTables.map(
      (table) => `La tabla ${table} cambió mientras se llevaba: hay algo en marcha sobre la base de datos de antes.`,
    ),
    ...moveResult.voteFaults,
  ]
  const newSettings: string[] = []
  if (objectDestination !== undefined && objectDestination !== folder)
    newSettings.push(
      isS3(objectDestination) ? 'STORAGE_URL con esa dirección' : `DATA_DIR='${objectDestination}', sin STORAGE_URL`,
    )
  if (target !== undefined)
    newSettings.push(folder === undefined ? 'DATABASE_URL con esa dirección' : `DATA_DIR='${folder}', sin DATABASE_URL`)
  const unchangedSetting = storageUrl === undefined ? `DATA_DIR='${dataDir}'` : 'STORAGE_URL'
  const storageNote =
    storage === undefined
      ? ` Los archivos siguen en ${destinationName(storageUrl ?? dataDir)}: deja ${unchangedSetting} como está.`
      : ` ${objectCount} archivos.`
  if (faults.length === 0) {
    if (storage) await unmarkStorage(storage)
    if (objectDestination !== undefined)
      await markStorageMoved(site.storage, destinationName(objectDestination)).catch(() => {
        // The old storage may have become read-only.
        notices.push('El almacenamiento de antes no se pudo marcar: quita su dirección de los ajustes.')
      })
    if (target !== undefined) await markDatabaseMoved(db, folder ?? serverName(target))
  }
  return {
    ok: faults.length === 0,
    linesBefore: [...(rowCounts ? [comparisonTable(before, rowCounts, 'antes')] : []), ...notices, ...faults],
    line:
      faults.length === 0
        ? `Mudanza hecha y comprobada.${storageNote} Arranca con ${newSettings.join(' y ')}; lo de antes sigue en su lugar hasta que tú lo borres, y ningún sitio arranca ahí.`
        : `La mudanza tiene ${faults.length} fallas: ${faults[0]} Lo de antes sigue en su lugar; corrígelo y repite la orden.`,
    data: {
      ...(objectDestination !== undefined && { objetos: objectCount }),
      ...(rowCounts && { antes: before, ahora: rowCounts }),
      fallas: faults,
    },
  }
})

/** Returns the names of a server and its database, without account and password. */
function serverName(address: string): string {
  const { hostname, pathname, searchParams } = new URL(address)
  return `${searchParams.get('host') ?? hostname}${pathname}`
}

/** Reads a server's URL from a file, so that no process list shows its password. @throws StartError for any other file */
async function readServerUrl(file: string): Promise<string> {
  const content = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new StartError(`--a-archivo debe nombrar un archivo que se pueda leer (${file}: ${error.code}).`)
  })
  if (!isServer(content.trim()))
    throw new StartError(`En ${file} debe estar sólo la dirección, como postgres://usuario:clave@servidor/base.`)
  return content.trim()
}

/** Opens the target: a server, or the embedded database of another data folder. @throws StartError if it does not answer */
async function openTargetPool(target: string, settings: Settings, undo: Undo) {
  if (!isServer(target))
    return openTargetDatabase({ ...settings, dataDir: resolveFromCaller(target), databaseUrl: undefined }, undo)
  const pool = openPool(target, 3)
  undo.push(() => pool.end())
  await pool.query('select 1').catch((error: Error) => {
    throw new StartError(`La base de datos de destino no responde (${error.message}). Revisa la dirección de --a.`)
  })
  return pool
}

/**
 * Copies a data folder's secret, erasure log, messages and first administrator's password.
 * @returns Spanish lines about files that stay behind
 */
async function copyBesideData(from: string, to: string): Promise<string[]> {
  const secret = await readFile(join(from, 'session-secret')).catch(() => undefined)
  if (secret) await writeFileAtomically(join(to, 'session-secret'), secret)
  await writeErasuresBesideData(to, await readErasuresBesideData(from))
  for (const name of ['outbox', 'primer-administrador.txt'])
    if (existsSync(join(from, name))) await cp(join(from, name), join(to, name), { recursive: true })
  const partialNames = await readdir(join(from, 'temporales')).catch(() => [])
  const unknownNames = (await readdir(from)).filter((name) => !KNOWN_ENTRIES.test(name))
  return [
    ...(partialNames.length > 0
      ? [`Se quedan en ${from} ${partialNames.length} archivos a medio subir: su dueña los vuelve a mandar.`]
      : []),
    ...(unknownNames.length > 0 ? [`No se llevó lo demás que hay en ${from}: ${unknownNames.join(', ')}.`] : []),
  ]
}
