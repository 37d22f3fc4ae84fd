// The command npm run mudanza, loaded by mudanza.ts.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openDatabase, openPool } from '#app/core/db/database.server.ts'
import { readErasuresBesideData, writeErasuresBesideData } from '#app/core/db/erasure-log.server.ts'
import { startMove } from '#app/core/db/presence.server.ts'
import { runningSite } from '#app/core/process/data-folder-lock.server.ts'
import { writeFileAtomically } from '#app/core/process/durable-files.server.ts'
import { readSettings, type Settings } from '#app/core/process/env.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import { isS3, openPlace } from '#app/core/storage/open-store.server.ts'
import { moveSite } from '#app/ops/backup/move.server.ts'
import { comparisonTable } from '#app/ops/backup/restore.server.ts'
import type { Undo } from '../../server/undo.ts'
import { root } from '../prepare.mjs'
import { openTarget } from './connect-database.ts'
import { resolveFromCaller } from './load-command.ts'
import { openCommandSite, readSecret } from './open-site.ts'
import { parseOptions, runCommand } from './run-command.ts'

const USAGE = `Uso: npm run mudanza -- [--a-archivo ARCHIVO | --a CARPETA] [--objetos s3://cubeta?endpoint=… | --objetos CARPETA] [--json]
--a-archivo nombra un archivo con la dirección de la otra base de datos (postgres://usuario:clave@servidor/base): así la
clave no queda a la vista de quien mire los procesos de la máquina. --a CARPETA es la carpeta de datos de un sitio con su propia base de datos.
--objetos lleva los archivos; una CARPETA es la carpeta de datos que los tendrá.
Todos los procesos del sitio deben estar detenidos, en todas sus máquinas. Lo de antes queda como está; si se corta, repite la orden.`

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

await runCommand({ json: process.argv.includes('--json') }, async (onProgress, undo) => {
  const { archivo, objetos, ...given } = parsed()
  const a = archivo === undefined ? given.a : await addressIn(resolveFromCaller(archivo))
  const settings = readSettings(process.env)
  const running = await runningSite(settings.dataDir)
  if (running)
    throw new StartError(
      `El sitio está en marcha (${running.url}): detenlo antes, para que nada de lo que llegue entretanto se quede atrás.`,
    )
  const site = await openCommandSite(settings, undo)
  undo.push(await startMove(openDatabase(site.pool)))
  const place = objetos === undefined || isS3(objetos) ? objetos : resolveFromCaller(objetos)
  const moved = await moveSite(
    site,
    {
      pool: a === undefined ? undefined : await openOther(a, settings, undo),
      storage: place === undefined ? undefined : await openPlace(place),
      dataDir: settings.dataDir,
    },
    { migrations: join(root, 'db/migrations'), secret: await readSecret(settings), onProgress },
  )
  if (a !== undefined && !isServer(a)) await bringAlong(settings.dataDir, resolveFromCaller(a))
  const { before, rowCounts, objectCount } = moved
  const faults = [
    ...moved.lostObjects.map((path) => `Falta o está dañado el archivo ${path}.`),
    ...moved.differingTables.map((table) => `La tabla ${table} no llegó igual.`),
    ...moved.changedTables.map(
      (table) => `La tabla ${table} cambió mientras se llevaba: hay algo en marcha sobre la base de datos de antes.`,
    ),
    ...moved.voteFaults,
  ]
  const next: string[] = []
  if (place !== undefined) next.push(isS3(place) ? `STORAGE_URL='${place}'` : `DATA_DIR='${place}', sin STORAGE_URL`)
  if (a !== undefined)
    next.push(isServer(a) ? 'DATABASE_URL con esa dirección' : `DATA_DIR='${resolveFromCaller(a)}', sin DATABASE_URL`)
  return {
    ok: faults.length === 0,
    linesBefore: [...(rowCounts ? [comparisonTable(before, rowCounts, 'antes')] : []), ...faults],
    line:
      faults.length === 0
        ? `Mudanza hecha y comprobada. Arranca con ${next.join(' y ')}; lo de antes sigue en su lugar hasta que tú lo borres.`
        : `La mudanza tiene ${faults.length} fallas: ${faults[0]} Lo de antes sigue en su lugar; corrígelo y repite la orden.`,
    data: {
      ...(place !== undefined && { objetos: objectCount }),
      ...(rowCounts && { antes: before, ahora: rowCounts }),
      fallas: faults,
    },
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

/** Opens the target: a server, or another data folder's embedded database. */
async function openOther(a: string, settings: Settings, undo: Undo) {
  if (!isServer(a)) return openTarget({ ...settings, dataDir: resolveFromCaller(a), databaseUrl: undefined }, undo)
  const pool = openPool(a, 3)
  undo.push(() => pool.end())
  await pool.query('select 1').catch((error: Error) => {
    throw new StartError(`La base de datos de destino no responde (${error.message}). Revisa la dirección de --a.`)
  })
  return pool
}

/** Brings a data folder's session secret and erasure log along. */
async function bringAlong(from: string, to: string): Promise<void> {
  const secret = await readFile(join(from, 'session-secret')).catch(() => undefined)
  if (secret) await writeFileAtomically(join(to, 'session-secret'), secret)
  await writeErasuresBesideData(to, await readErasuresBesideData(from))
}
