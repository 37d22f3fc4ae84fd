// The command npm run restaurar, loaded by restaurar.ts.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openDatabase, openPool } from '#app/core/db/database.server.ts'
import { inForce, mergeErasures, noteErasures, readErasuresFromDatabase } from '#app/core/db/erasure-log.server.ts'
import { startPostgres } from '#app/core/postgres/embedded.server.ts'
import { lockDataDir, runningSite } from '#app/core/process/data-folder-lock.server.ts'
import { writeWhole } from '#app/core/process/durable-files.server.ts'
import { readSettings, type Settings } from '#app/core/process/env.server.ts'
import { createLog } from '#app/core/process/log.server.ts'
import { keysOf } from '#app/core/process/session-secret.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import { assertDestination, openPlace, openStorage } from '#app/core/storage/open-store.server.ts'
import { createClock } from '#app/core/time/clock.server.ts'
import { endedStateInWords, endStaleState } from '#app/ops/backup/after-restore.server.ts'
import { BackupFault } from '#app/ops/backup/fault.server.ts'
import { countRows } from '#app/ops/backup/load-database.server.ts'
import { saveRehearsalResult } from '#app/ops/backup/mutations.server.ts'
import { rehearseBackup } from '#app/ops/backup/rehearsal.server.ts'
import { reinstateEntry } from '#app/ops/backup/reinstate-entry.server.ts'
import { collectErasureLogs, erasureLogsInWords, replayErasures } from '#app/ops/backup/replay-erasures.server.ts'
import {
  assertTargetEmpty,
  type OpenedBackup,
  openBackup,
  restoreBase,
  restoreObjects,
  tablaDe,
} from '#app/ops/backup/restore.server.ts'
import { countsOf } from '#app/ops/backup/schema.ts'
import { openBackupStore } from '#app/ops/backup/store.server.ts'
import { recountAll } from '#app/voting/chain/recount.server.ts'
import { toItsEnd, type Undo, undoAll } from '../../server/undo.ts'
import { root } from '../prepare.mjs'
import { adoptCopiedDataFolder } from './copied-data-folder.ts'
import { resolveFromCaller } from './load-command.ts'
import { openCommandSite, readSecret } from './open-site.ts'
import { type CommandOutcome, type Dice, order, parseOptions } from './run-command.ts'

const USO = `Uso: npm run restaurar -- ORIGEN [--en CARPETA] [--copia ID] [--comprobar] [--json]
     npm run restaurar -- ORIGEN --inscripcion FOLIO [--aunque-pidio-irse]
     npm run restaurar -- --carpeta-copiada CARPETA
ORIGEN es la carpeta o la cubeta (s3://…) a la que se hizo el respaldo. Sin --copia se toma el más nuevo.
Sin --en se restaura en DATA_DIR, o en DATABASE_URL y STORAGE_URL, que deben estar vacíos.
--comprobar lo restaura en un lugar pasajero, lo cuenta todo y no deja nada.
--inscripcion devuelve una sola inscripción al sitio que hay, con sus archivos.
--carpeta-copiada revisa entera la carpeta de datos copiada del disco de una máquina que murió, y sólo si su base de datos
está completa deja arrancar el sitio sobre ella.`

const MIGRATIONS = join(root, 'db/migrations')

const parsed = () =>
  parseOptions(USO, () => {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        en: { type: 'string' },
        copia: { type: 'string' },
        comprobar: { type: 'boolean' },
        inscripcion: { type: 'string' },
        'carpeta-copiada': { type: 'string' },
        'aunque-pidio-irse': { type: 'boolean' },
        json: { type: 'boolean' },
      },
    })
    const [origin, ...rest] = positionals
    const isCopiedFolder = values['carpeta-copiada'] !== undefined
    if ((origin === undefined) !== isCopiedFolder || rest.length > 0) throw new StartError(USO)
    return { ...values, origen: origin ?? '', copiada: values['carpeta-copiada'] }
  })

await order({ json: process.argv.includes('--json') }, async (dice, undo) => {
  const { origen, en, copia, comprobar, inscripcion, copiada, 'aunque-pidio-irse': evenIfErased = false } = parsed()
  const settings = readSettings(process.env)
  if (copiada !== undefined) return adoptCopiedDataFolder(settings, resolveFromCaller(copiada), MIGRATIONS, dice, undo)
  assertDestination(origen)
  const place = resolveFromCaller(origen)
  const openIt = { espera: settings.dataDir, soloLeer: inscripcion === undefined }
  const note = (id: string | undefined, falla: string | undefined) =>
    tellSiteOfRehearsal(settings, place, id, falla, dice)
  const opened = await openBackup(await openBackupStore(place, settings.backupKey, openIt), copia, dice).catch(
    async (error: unknown) => {
      if (comprobar && error instanceof BackupFault) await note(copia, error.resumen)
      throw error
    },
  )
  const { momento, version } = opened.caratula
  dice(`Respaldo ${opened.caratula.id}, de las ${momento} (versión ${version}).`)
  if (inscripcion !== undefined) return una(settings, opened, inscripcion, evenIfErased, dice, undo)
  if (comprobar) return rehearseRestore(settings, opened, (falla) => note(opened.caratula.id, falla), dice)
  return restoreWhole(settings, opened, en === undefined ? undefined : resolveFromCaller(en), dice, undo)
})

async function rehearseRestore(
  settings: Settings,
  opened: OpenedBackup,
  note: (falla: string | undefined) => Promise<void>,
  dice: Dice,
): Promise<CommandOutcome> {
  const secret = opened.manifiesto.secreto ?? (await readSecret(settings))
  const { fallas, resumen, aqui } = await rehearseBackup(opened, {
    ...{ migrations: MIGRATIONS, lugar: settings.dataDir, secreto: secret, dice },
  }).catch(async (error: unknown) => {
    if (error instanceof BackupFault) await note(error.resumen)
    throw error
  })
  await note(resumen)
  return {
    ok: fallas.length === 0,
    antes: [tablaDe(countsOf(opened.manifiesto.tablas), aqui), ...fallas],
    linea:
      fallas.length === 0
        ? `El respaldo ${opened.caratula.id} está entero: se restauró en un lugar pasajero y todo coincide.`
        : `El respaldo ${opened.caratula.id} tiene ${fallas.length} fallas: ${fallas[0]}`,
    datos: { copia: opened.caratula.id, cuentas: aqui, fallas },
  }
}

/** Saves the rehearsal's outcome in the site's database, if the site runs or DATABASE_URL is set. */
async function tellSiteOfRehearsal(
  settings: Settings,
  place: string,
  backup: string | undefined,
  falla: string | undefined,
  dice: Dice,
): Promise<void> {
  if (settings.databaseUrl === undefined && !(await runningSite(settings.dataDir))) return
  const undo: Undo = []
  try {
    const { pool } = await openCommandSite(settings, undo)
    await saveRehearsalResult(openDatabase(pool), place, backup, falla)
  } catch (error) {
    dice(`El ensayo no se pudo anotar en el sitio: ${(error as Error).message}`)
  } finally {
    await undoAll(undo)
  }
}

async function restoreWhole(
  given: Settings,
  opened: OpenedBackup,
  en: string | undefined,
  dice: Dice,
  undo: Undo,
): Promise<CommandOutcome> {
  // With --en everything goes into that folder: the servers of the settings are not written to.
  const settings: Settings =
    en === undefined ? given : { ...given, dataDir: en, databaseUrl: undefined, storageUrl: undefined }
  try {
    await mkdir(settings.dataDir, { recursive: true, mode: 0o700 })
    undo.push(await lockDataDir(settings.dataDir, settings.publicUrl))
    const connection = settings.databaseUrl ?? (await startEmbedded(settings, undo))
    const pool = openPool(connection, 6)
    undo.push(() => pool.end())
    const storage = await openStorage(settings)
    await assertTargetEmpty(pool, storage, opened)
    const ledgers = await collectErasureLogs(opened.almacen, [settings.backupUrl], [settings.dataDir, given.dataDir])
    // The erasure log is written before the data, so that a site that starts on the restored data replays it too.
    await noteErasures(settings.dataDir, ledgers.lineas)
    // The database is loaded last and whole: without it, an interrupted restore can be started again.
    const erased = new Set([...opened.suprimidas, ...inForce(ledgers.lineas).map(({ huella }) => huella)])
    const lost = await restoreObjects({ ...opened, suprimidas: erased }, { storage, dataDir: settings.dataDir }, dice)
    const { difieren } = await restoreBase(pool, opened, MIGRATIONS, dice)
    const faults = [
      ...difieren.map((tabla) => `La tabla ${tabla} no es la del respaldo.`),
      ...lost.map((path) => `Falta o está dañado el archivo ${path}.`),
      ...opened.manifiesto.perdidos.map((path) => `El archivo ${path} ya faltaba cuando se hizo el respaldo.`),
    ]
    const copiedCounts = await countRows(pool)
    const { secreto, falla, nota } = await placeSecret(settings, given, opened)
    if (falla) faults.push(falla)
    const db = openDatabase(pool)
    const keyed = secreto === undefined ? undefined : keysOf(secreto)
    faults.push(...(await recountAll(db, keyed)))
    dice('Votos: contados otra vez, sello por sello.')
    const services = {
      ...{ db, storage, settings, clock: createClock(settings.siteClock), log: createLog('error') },
    }
    const { inscripciones, candidatas, pendientes } = await replayErasures(services, ledgers.lineas, root)
    if (pendientes.length > 0)
      faults.push(
        `${pendientes.length} inscripciones que pidieron irse no se pudieron borrar otra vez: quedan ocultas, y el sitio lo intenta al arrancar. Revisa los permisos del almacenamiento.`,
      )
    if (inscripciones + candidatas > 0)
      dice(
        `Se volvieron a borrar ${inscripciones} inscripciones y a retirar ${candidatas} candidatas que pidieron irse después del respaldo.`,
      )
    const closed = await endStaleState(db)
    const here = await countRows(pool)
    const where = settings.databaseUrl ? 'la base de datos y el almacenamiento de los ajustes' : settings.dataDir
    return {
      ok: faults.length === 0,
      antes: [
        tablaDe(countsOf(opened.manifiesto.tablas), here),
        ...erasureLogsInWords(ledgers),
        ...endedStateInWords(closed),
        ...faults,
        ...(nota ? [nota] : []),
      ],
      linea:
        faults.length === 0
          ? `Restaurado en ${where} el respaldo ${opened.caratula.id}: todo coincide${inscripciones > 0 ? `, salvo ${inscripciones} inscripciones que pidieron irse` : ''}.`
          : `Restaurado en ${where} el respaldo ${opened.caratula.id}, con ${faults.length} fallas: ${faults[0]}`,
      datos: {
        ...{
          copia: opened.caratula.id,
          momento: opened.caratula.momento,
          cuentas: copiedCounts,
          aqui: here,
          fallas: faults,
        },
        ...{ suprimidas: inscripciones, retiradas: candidatas, libro: ledgers.encontrados, cerrado: closed },
      },
    }
  } finally {
    await undoAll(undo)
  }
}

async function startEmbedded(settings: Settings, undo: Undo) {
  const postgres = await startPostgres(join(settings.dataDir, 'postgres'), (message) => console.error(message))
  undo.push(toItsEnd(() => postgres.stop()))
  return postgres.connection
}

/** Writes the session secret of an encrypted backup into the data folder. @returns the secret, and a fault or a note */
async function placeSecret(
  settings: Settings,
  given: Settings,
  { manifiesto }: OpenedBackup,
): Promise<{ secreto: string | undefined; falla?: string; nota?: string }> {
  const { secreto } = manifiesto
  if (secreto === undefined) {
    const here = await readSecret(given)
    return {
      secreto: here,
      nota: here
        ? `El secreto del sitio no viene en un respaldo sin cifrar: se comprobó con el de esta máquina. Cópialo a ${settings.dataDir}/session-secret, o ponlo en SESSION_SECRET, antes de arrancar.`
        : `El secreto del sitio no viene en un respaldo sin cifrar: pon el de antes en SESSION_SECRET, o su archivo session-secret en ${settings.dataDir}, antes de arrancar. Sin él las firmas de los votos no se pueden comprobar y los segundos pasos no se leen.`,
    }
  }
  if (settings.sessionSecret === undefined) {
    await writeWhole(join(settings.dataDir, 'session-secret'), `${secreto}\n`)
    return { secreto }
  }
  if (settings.sessionSecret === secreto) return { secreto }
  return {
    secreto,
    falla: 'SESSION_SECRET no es el secreto del respaldo: con otro ningún voto vale. Quítalo, o pon el de antes.',
  }
}

async function una(
  settings: Settings,
  opened: OpenedBackup,
  folio: string,
  evenIfErased: boolean,
  dice: Dice,
  undo: Undo,
): Promise<CommandOutcome> {
  try {
    const { pool, storage } = await openCommandSite(settings, undo)
    const site = { pool, storage, dataDir: settings.dataDir }
    const { lineas, avisos } = await collectErasureLogs(opened.almacen, [settings.backupUrl], [settings.dataDir])
    for (const aviso of avisos) dice(aviso)
    const ledgers =
      settings.backupUrl === undefined
        ? []
        : await openPlace(settings.backupUrl).then(
            (one) => [one],
            (error: Error) => {
              dice(`BACKUP_URL no se alcanza (${error.message}): el sitio pondrá ahí al día el libro de borrados.`)
              return []
            },
          )
    const { documentos } = await reinstateEntry(opened, site, {
      ...{
        folio,
        lineas: mergeErasures(lineas, await readErasuresFromDatabase(openDatabase(pool))),
        aunque: evenIfErased,
        libros: ledgers,
        dice,
      },
      migrations: MIGRATIONS,
    })
    return {
      ok: true,
      linea: `La inscripción ${folio} está de vuelta, con ${documentos} archivos.`,
      datos: { folio, documentos },
    }
  } finally {
    await undoAll(undo)
  }
}
