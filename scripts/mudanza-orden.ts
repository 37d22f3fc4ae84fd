// What npm run mudanza does, loaded by mudanza.ts.
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openDatabase, openPool } from '#app/core/db/database.server.ts'
import { noteSupresiones, readSupresiones } from '#app/core/db/erasure-log.server.ts'
import { startMudanza } from '#app/core/db/presence.server.ts'
import { startPostgres } from '#app/core/postgres/embedded.server.ts'
import { lockDataDir, runningSite } from '#app/core/process/data-folder-lock.server.ts'
import { writeWhole } from '#app/core/process/durable-files.server.ts'
import { readSettings, type Settings } from '#app/core/process/env.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import { isS3, openPlace } from '#app/core/storage/open-store.server.ts'
import { mudarBase, mudarObjetos } from '#app/ops/backup/move.server.ts'
import { tablaDe } from '#app/ops/backup/restore.server.ts'
import { toItsEnd, type Undo, undoAll } from '../server/undo.ts'
import { desdeAqui } from './ejecutar.ts'
import { leerOpciones, orden } from './orden.ts'
import { root } from './prepare.mjs'
import { openSitio } from './sitio-abierto.ts'

const USO = `Uso: npm run mudanza -- [--a-archivo ARCHIVO | --a CARPETA] [--objetos s3://cubeta?endpoint=… | --objetos CARPETA] [--json]
--a-archivo nombra un archivo con la dirección de la otra base de datos (postgres://usuario:clave@servidor/base): así la
clave no queda a la vista de quien mire los procesos de la máquina. --a CARPETA es la carpeta de datos de un sitio con su propia base de datos.
--objetos lleva los archivos; una CARPETA es la carpeta de datos que los tendrá.
Todos los procesos del sitio deben estar detenidos, en todas sus máquinas. Lo de antes queda como está; si se corta, la misma orden sigue donde iba.`

const leidas = () =>
  leerOpciones(USO, () => {
    const { values } = parseArgs({
      options: {
        a: { type: 'string' },
        'a-archivo': { type: 'string' },
        objetos: { type: 'string' },
        json: { type: 'boolean' },
      },
    })
    const { a, objetos, 'a-archivo': archivo } = values
    if ([a, archivo, objetos].every((one) => one === undefined) || (a !== undefined && archivo !== undefined))
      throw new StartError(USO)
    return { a, archivo, objetos }
  })

const isServer = (place: string) => /^postgres(ql)?:/.test(place)

await orden({ json: process.argv.includes('--json') }, async (dice, undo) => {
  const { archivo, objetos, ...given } = leidas()
  const a = archivo === undefined ? given.a : await addressIn(desdeAqui(archivo))
  const settings = readSettings(process.env)
  try {
    const running = await runningSite(settings.dataDir)
    if (running)
      throw new StartError(
        `El sitio está en marcha (${running.url}): detenlo antes, para que nada de lo que llegue entretanto se quede atrás.`,
      )
    const { pool, storage } = await openSitio(settings, undo)
    undo.push(await startMudanza(openDatabase(pool)))
    const next: string[] = []
    const fallas: string[] = []
    const datos: Record<string, unknown> = {}
    let antes: string[] = []
    if (objetos !== undefined) {
      const place = isS3(objetos) ? objetos : desdeAqui(objetos)
      const moved = await mudarObjetos(pool, storage, await openPlace(place), settings.dataDir, dice)
      fallas.push(...moved.perdidos.map((path) => `Falta o está dañado el archivo ${path}.`))
      Object.assign(datos, { objetos: moved.objetos, llevados: moved.nuevos })
      next.push(isS3(objetos) ? `STORAGE_URL='${objetos}'` : `DATA_DIR='${place}', sin STORAGE_URL`)
    }
    if (a !== undefined) {
      const moved = await mudarBase(pool, await openOther(a, settings, undo), join(root, 'db/migrations'), dice)
      fallas.push(...moved.difieren.map((tabla) => `La tabla ${tabla} no llegó igual.`))
      fallas.push(
        ...moved.cambiaron.map(
          (tabla) =>
            `La tabla ${tabla} cambió mientras se llevaba: hay algo en marcha sobre la base de datos de antes.`,
        ),
      )
      antes = [tablaDe(moved.antes, moved.ahora, 'antes')]
      Object.assign(datos, { antes: moved.antes, ahora: moved.ahora })
      next.push(isServer(a) ? 'DATABASE_URL con esa dirección' : `DATA_DIR='${desdeAqui(a)}', sin DATABASE_URL`)
    }
    return {
      ok: fallas.length === 0,
      antes: [...antes, ...fallas],
      linea:
        fallas.length === 0
          ? `Mudanza hecha y comprobada. Arranca con ${next.join(' y ')}; lo de antes sigue en su lugar hasta que tú lo borres.`
          : `La mudanza tiene ${fallas.length} fallas: ${fallas[0]} Lo de antes sigue en su lugar; corrígelo y repite la orden.`,
      datos: { ...datos, fallas },
    }
  } finally {
    await undoAll(undo)
  }
})

/** The address of a server in a file, where no list of processes shows its password. */
async function addressIn(file: string): Promise<string> {
  const said = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new StartError(`--a-archivo debe nombrar un archivo que se pueda leer (${file}: ${error.code}).`)
  })
  if (!isServer(said.trim()))
    throw new StartError(`En ${file} debe estar sólo la dirección, como postgres://usuario:clave@servidor/base.`)
  return said.trim()
}

/** The other database: a server, or the embedded one of another data folder, which gets the site's secret and ledger. */
async function openOther(a: string, settings: Settings, undo: Undo) {
  if (isServer(a)) {
    const pool = openPool(a, 3)
    undo.push(() => pool.end())
    await pool.query('select 1').catch((error: Error) => {
      throw new StartError(`La base de datos de destino no responde (${error.message}). Revisa la dirección de --a.`)
    })
    return pool
  }
  const folder = desdeAqui(a)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  undo.push(await lockDataDir(folder, settings.publicUrl))
  const postgres = await startPostgres(join(folder, 'postgres'), (message) => console.error(message))
  undo.push(toItsEnd(() => postgres.stop()))
  const pool = openPool(postgres.connection, 3)
  undo.push(() => pool.end())
  const secreto = await readFile(join(settings.dataDir, 'session-secret')).catch(() => undefined)
  if (secreto) await writeWhole(join(folder, 'session-secret'), secreto)
  await noteSupresiones(folder, await readSupresiones(settings.dataDir))
  return pool
}
