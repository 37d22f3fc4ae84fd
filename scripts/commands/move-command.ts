// The command npm run mudanza, loaded by mudanza.ts.
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openDatabase, openPool } from '#app/core/db/database.server.ts'
import { noteErasures, readErasures } from '#app/core/db/erasure-log.server.ts'
import { startMove } from '#app/core/db/presence.server.ts'
import { startPostgres } from '#app/core/postgres/embedded.server.ts'
import { lockDataDir, runningSite } from '#app/core/process/data-folder-lock.server.ts'
import { writeWhole } from '#app/core/process/durable-files.server.ts'
import { readSettings, type Settings } from '#app/core/process/env.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import { isS3, openPlace } from '#app/core/storage/open-store.server.ts'
import { moveDatabase, moveObjects } from '#app/ops/backup/move.server.ts'
import { comparisonTable } from '#app/ops/backup/restore.server.ts'
import { toItsEnd, type Undo, undoAll } from '../../server/undo.ts'
import { root } from '../prepare.mjs'
import { resolveFromCaller } from './load-command.ts'
import { openCommandSite } from './open-site.ts'
import { order, parseOptions } from './run-command.ts'

const USAGE = `Uso: npm run mudanza -- [--a-archivo ARCHIVO | --a CARPETA] [--objetos s3://cubeta?endpoint=… | --objetos CARPETA] [--json]
--a-archivo nombra un archivo con la dirección de la otra base de datos (postgres://usuario:clave@servidor/base): así la
clave no queda a la vista de quien mire los procesos de la máquina. --a CARPETA es la carpeta de datos de un sitio con su propia base de datos.
--objetos lleva los archivos; una CARPETA es la carpeta de datos que los tendrá.
Todos los procesos del sitio deben estar detenidos, en todas sus máquinas. Lo de antes queda como está; si se corta, la misma orden sigue donde iba.`

const parsed = () =>
  parseOptions(USAGE, () => {
    const { values } = parseArgs({
      options: {
        a: { type: 'string' },
        'a-archivo': { type: 'string' },
        objetos: { type: 'string' },
        json: { type: 'boolean' },
      },
    })
    const { a, objetos, 'a-archivo': file } = values
    if ([a, file, objetos].every((one) => one === undefined) || (a !== undefined && file !== undefined))
      throw new StartError(USAGE)
    return { a, archivo: file, objetos }
  })

const isServer = (place: string) => /^postgres(ql)?:/.test(place)

await order({ json: process.argv.includes('--json') }, async (onProgress, undo) => {
  const { archivo, objetos, ...given } = parsed()
  const a = archivo === undefined ? given.a : await addressIn(resolveFromCaller(archivo))
  const settings = readSettings(process.env)
  try {
    const running = await runningSite(settings.dataDir)
    if (running)
      throw new StartError(
        `El sitio está en marcha (${running.url}): detenlo antes, para que nada de lo que llegue entretanto se quede atrás.`,
      )
    const { pool, storage } = await openCommandSite(settings, undo)
    undo.push(await startMove(openDatabase(pool)))
    const next: string[] = []
    const faults: string[] = []
    const data: Record<string, unknown> = {}
    let linesBefore: string[] = []
    if (objetos !== undefined) {
      const place = isS3(objetos) ? objetos : resolveFromCaller(objetos)
      const moved = await moveObjects(pool, storage, await openPlace(place), settings.dataDir, onProgress)
      faults.push(...moved.lostObjects.map((path) => `Falta o está dañado el archivo ${path}.`))
      Object.assign(data, { objetos: moved.objectCount, llevados: moved.addedCount })
      next.push(isS3(objetos) ? `STORAGE_URL='${objetos}'` : `DATA_DIR='${place}', sin STORAGE_URL`)
    }
    if (a !== undefined) {
      const moved = await moveDatabase(
        pool,
        await openOther(a, settings, undo),
        join(root, 'db/migrations'),
        onProgress,
      )
      faults.push(...moved.differingTables.map((table) => `La tabla ${table} no llegó igual.`))
      faults.push(
        ...moved.changedMeanwhile.map(
          (table) =>
            `La tabla ${table} cambió mientras se llevaba: hay algo en marcha sobre la base de datos de antes.`,
        ),
      )
      linesBefore = [comparisonTable(moved.before, moved.after, 'antes')]
      Object.assign(data, { antes: moved.before, ahora: moved.after })
      next.push(isServer(a) ? 'DATABASE_URL con esa dirección' : `DATA_DIR='${resolveFromCaller(a)}', sin DATABASE_URL`)
    }
    return {
      ok: faults.length === 0,
      linesBefore: [...linesBefore, ...faults],
      line:
        faults.length === 0
          ? `Mudanza hecha y comprobada. Arranca con ${next.join(' y ')}; lo de antes sigue en su lugar hasta que tú lo borres.`
          : `La mudanza tiene ${faults.length} fallas: ${faults[0]} Lo de antes sigue en su lugar; corrígelo y repite la orden.`,
      data: { ...data, fallas: faults },
    }
  } finally {
    await undoAll(undo)
  }
})

/** Reads a server's address from a file, so that no process list shows its password. */
async function addressIn(file: string): Promise<string> {
  const said = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new StartError(`--a-archivo debe nombrar un archivo que se pueda leer (${file}: ${error.code}).`)
  })
  if (!isServer(said.trim()))
    throw new StartError(`En ${file} debe estar sólo la dirección, como postgres://usuario:clave@servidor/base.`)
  return said.trim()
}

/** Opens the target: a server, or another data folder's embedded database with the session secret and the erasure log. */
async function openOther(a: string, settings: Settings, undo: Undo) {
  if (isServer(a)) {
    const pool = openPool(a, 3)
    undo.push(() => pool.end())
    await pool.query('select 1').catch((error: Error) => {
      throw new StartError(`La base de datos de destino no responde (${error.message}). Revisa la dirección de --a.`)
    })
    return pool
  }
  const folder = resolveFromCaller(a)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  undo.push(await lockDataDir(folder, settings.publicUrl))
  const postgres = await startPostgres(join(folder, 'postgres'), (message) => console.error(message))
  undo.push(toItsEnd(() => postgres.stop()))
  const pool = openPool(postgres.connection, 3)
  undo.push(() => pool.end())
  const secret = await readFile(join(settings.dataDir, 'session-secret')).catch(() => undefined)
  if (secret) await writeWhole(join(folder, 'session-secret'), secret)
  await noteErasures(folder, await readErasures(settings.dataDir))
  return pool
}
