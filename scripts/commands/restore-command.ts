// npm run restaurar, loaded by restaurar.ts.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openDatabase } from '#app/core/db/database.server.ts'
import {
  erasuresInForce,
  mergeErasures,
  readErasuresFromDatabase,
  writeErasuresBesideData,
} from '#app/core/db/erasure-log.server.ts'
import { runningSite } from '#app/core/process/data-folder-lock.server.ts'
import { writeFileAtomically } from '#app/core/process/durable-files.server.ts'
import { readSettings, type Settings } from '#app/core/process/env.server.ts'
import { createLog } from '#app/core/process/log.server.ts'
import type { ReportProgress } from '#app/core/process/progress.server.ts'
import { createKeyDeriver } from '#app/core/process/session-secret.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import { hasIdentity } from '#app/core/storage/age-encryption.server.ts'
import { assertDestination, openDestinationToRead, openStorage } from '#app/core/storage/open-store.server.ts'
import { createClock } from '#app/core/time/clock.server.ts'
import { aftermathInWords, endStaleState } from '#app/ops/backup/after-restore.server.ts'
import { BackupFault } from '#app/ops/backup/fault.server.ts'
import { countRows } from '#app/ops/backup/load-database.server.ts'
import { saveRehearsalResult } from '#app/ops/backup/mutations.server.ts'
import { ownBackupKey } from '#app/ops/backup/own-key.server.ts'
import { rehearseBackup } from '#app/ops/backup/rehearsal.server.ts'
import { reinstateEntry } from '#app/ops/backup/reinstate-entry.server.ts'
import { collectErasureLogs, erasureLogsInWords, replayErasures } from '#app/ops/backup/replay-erasures.server.ts'
import {
  assertTargetEmpty,
  comparisonTable,
  type OpenedBackup,
  openBackup,
  restoreFaultsInWords,
  restoreSite,
} from '#app/ops/backup/restore.server.ts'
import { countsOf } from '#app/ops/backup/schema.ts'
import { openBackupStore } from '#app/ops/backup/store.server.ts'
import { type Undo, undoAll } from '../../server/undo.ts'
import { root } from '../prepare.mjs'
import { openTargetDatabase } from './connect-database.ts'
import { resolveFromCaller } from './load-command.ts'
import { openCommandSite, readSecret } from './open-site.ts'
import { type CommandOutcome, parseOptions, runCommand } from './run-command.ts'

const USAGE = `Uso: npm run restaurar -- ORIGEN [--en CARPETA] [--copia ID] [--comprobar] [--json]
     npm run restaurar -- ORIGEN --inscripcion FOLIO [--aunque-pidio-irse]
ORIGEN es la carpeta o la cubeta (s3://…) a la que se hizo el respaldo. Sin --copia se toma el más nuevo.
Sin --en se restaura en DATA_DIR, o en DATABASE_URL y STORAGE_URL, que deben estar vacíos.
--comprobar lo restaura en un lugar pasajero, lo cuenta todo y no deja nada.
--inscripcion devuelve una sola inscripción al sitio que hay, con sus archivos.`

const MIGRATIONS = join(root, 'db/migrations')

const parseArguments = () =>
  parseOptions(USAGE, () => {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        en: { type: 'string' },
        copia: { type: 'string' },
        comprobar: { type: 'boolean' },
        inscripcion: { type: 'string' },
        'aunque-pidio-irse': { type: 'boolean' },
        json: { type: 'boolean' },
      },
    })
    const [origin, ...rest] = positionals
    if (origin === undefined || rest.length > 0) throw new StartError(USAGE)
    return { ...values, origen: origin }
  })

await runCommand({ isJson: process.argv.includes('--json') }, async (onProgress, undo) => {
  const {
    origen,
    en: targetFolder,
    copia,
    comprobar,
    inscripcion,
    'aunque-pidio-irse': mayUndoErasure = false,
  } = parseArguments()
  const settings = readSettings(process.env)
  assertDestination(origen)
  const destination = resolveFromCaller(origen)
  const storeOptions = { tempFolder: settings.dataDir, isReadOnly: inscripcion === undefined }
  const recordRehearsal = (id: string | undefined, fault: string | undefined) =>
    storeRehearsal(settings, destination, id, fault, onProgress)
  const passphrase = settings.backupKey ?? (await ownPassphrase(settings, destination))
  const openedBackup = await openBackup(
    await openBackupStore(destination, passphrase, storeOptions),
    copia,
    onProgress,
  ).catch(async (error: unknown) => {
    if (comprobar && error instanceof BackupFault) await recordRehearsal(copia, error.summary)
    throw error
  })
  const { momento, version } = openedBackup.catalogEntry
  onProgress(`Respaldo ${openedBackup.catalogEntry.id}, de las ${momento} (versión ${version}).`)
  if (inscripcion !== undefined)
    return restoreEntry(settings, openedBackup, inscripcion, mayUndoErasure, onProgress, undo)
  if (comprobar)
    return rehearseRestore(
      settings,
      openedBackup,
      (fault) => recordRehearsal(openedBackup.catalogEntry.id, fault),
      onProgress,
    )
  return restoreWhole(
    settings,
    openedBackup,
    targetFolder === undefined ? undefined : resolveFromCaller(targetFolder),
    onProgress,
    undo,
  )
})

/** Returns the key that this machine's site made for its backups; undefined without its secret, or without encrypted backups. */
async function ownPassphrase(settings: Settings, destination: string): Promise<string | undefined> {
  const secret = await readSecret(settings)
  return secret !== undefined && (await hasIdentity(await openDestinationToRead(destination)))
    ? ownBackupKey(createKeyDeriver(secret))
    : undefined
}

async function rehearseRestore(
  settings: Settings,
  openedBackup: OpenedBackup,
  noteResult: (fault: string | undefined) => Promise<void>,
  onProgress: ReportProgress,
): Promise<CommandOutcome> {
  const secret = openedBackup.manifest.secreto ?? (await readSecret(settings))
  const { faults, summary, rowCounts } = await rehearseBackup(openedBackup, {
    migrationsFolder: MIGRATIONS,
    workFolder: settings.dataDir,
    secret,
    onProgress,
  }).catch(async (error: unknown) => {
    if (error instanceof BackupFault) await noteResult(error.summary)
    throw error
  })
  await noteResult(summary)
  return {
    ok: faults.length === 0,
    linesBefore: [comparisonTable(countsOf(openedBackup.manifest.tablas), rowCounts), ...faults],
    line:
      faults.length === 0
        ? `El respaldo ${openedBackup.catalogEntry.id} está entero: se restauró en un lugar pasajero y todo coincide.`
        : `El respaldo ${openedBackup.catalogEntry.id} tiene ${faults.length} fallas: ${faults[0]}`,
    data: { copia: openedBackup.catalogEntry.id, cuentas: rowCounts, fallas: faults },
  }
}

/** Stores the rehearsal's outcome in the site's database, if the site runs or DATABASE_URL is set. */
async function storeRehearsal(
  settings: Settings,
  destination: string,
  backup: string | undefined,
  fault: string | undefined,
  onProgress: ReportProgress,
): Promise<void> {
  if (settings.databaseUrl === undefined && !(await runningSite(settings.dataDir))) return
  const undo: Undo = []
  try {
    const { pool } = await openCommandSite(settings, undo)
    await saveRehearsalResult(openDatabase(pool), destination, backup, fault)
  } catch (error) {
    onProgress(`El ensayo no se pudo anotar en el sitio: ${(error as Error).message}`)
  } finally {
    await undoAll(undo)
  }
}

async function restoreWhole(
  originalSettings: Settings,
  openedBackup: OpenedBackup,
  targetFolder: string | undefined,
  onProgress: ReportProgress,
  undo: Undo,
): Promise<CommandOutcome> {
  // With --en the backup is restored into that folder only, and the servers of the settings are not used.
  const settings: Settings =
    targetFolder === undefined
      ? originalSettings
      : { ...originalSettings, dataDir: targetFolder, databaseUrl: undefined, storageUrl: undefined }
  const pool = await openTargetDatabase(settings, undo)
  const storage = await openStorage(settings)
  await assertTargetEmpty(pool, storage, openedBackup)
  const erasureLogs = await collectErasureLogs(
    openedBackup.store,
    [settings.backupUrl],
    [settings.dataDir, originalSettings.dataDir],
  )
  // The erasure log is written before the data, so that a site that starts on the restored data applies it, too.
  await writeErasuresBesideData(settings.dataDir, erasureLogs.erasures)
  const erasedFingerprints = new Set([
    ...openedBackup.erasedFingerprints,
    ...erasuresInForce(erasureLogs.erasures).map(({ huella }) => huella),
  ])
  const { secret, fault, note } = await placeSecret(settings, originalSettings, openedBackup)
  const restoreResult = await restoreSite(
    { ...openedBackup, erasedFingerprints },
    { pool, storage, dataDir: settings.dataDir },
    { migrationsFolder: MIGRATIONS, secret, onProgress },
  )
  const faults = [...restoreFaultsInWords(restoreResult, openedBackup.manifest), ...(fault ? [fault] : [])]
  const db = openDatabase(pool)
  const services = {
    db,
    storage,
    settings,
    clock: createClock(settings.siteClock),
    log: createLog('error'),
  }
  const { entryCount, candidateCount, pendingIds } = await replayErasures(services, erasureLogs.erasures, root)
  if (pendingIds.length > 0)
    faults.push(
      `${pendingIds.length} inscripciones que pidieron irse no se pudieron borrar otra vez: quedan ocultas, y el sitio lo intenta al arrancar. Revisa los permisos del almacenamiento.`,
    )
  if (entryCount + candidateCount > 0)
    onProgress(
      `Se volvieron a borrar ${entryCount} inscripciones y a retirar ${candidateCount} candidatas que pidieron irse después del respaldo.`,
    )
  const endedState = await endStaleState(db)
  const countsInTarget = await countRows(pool)
  const targetInWords = settings.databaseUrl ? 'la base de datos y el almacenamiento de los ajustes' : settings.dataDir
  return {
    ok: faults.length === 0,
    linesBefore: [
      comparisonTable(countsOf(openedBackup.manifest.tablas), countsInTarget),
      ...erasureLogsInWords(erasureLogs),
      ...aftermathInWords(endedState),
      ...faults,
      ...(note ? [note] : []),
    ],
    line:
      faults.length === 0
        ? `Restaurado en ${targetInWords} el respaldo ${openedBackup.catalogEntry.id}: todo coincide${entryCount > 0 ? `, salvo ${entryCount} inscripciones que pidieron irse` : ''}.`
        : `Restaurado en ${targetInWords} el respaldo ${openedBackup.catalogEntry.id}, con ${faults.length} fallas: ${faults[0]}`,
    data: {
      copia: openedBackup.catalogEntry.id,
      momento: openedBackup.catalogEntry.momento,
      cuentas: restoreResult.rowCounts,
      aqui: countsInTarget,
      fallas: faults,
      suprimidas: entryCount,
      retiradas: candidateCount,
      libro: erasureLogs.foundIn,
      cerrado: endedState,
    },
  }
}

/**
 * Writes the session secret of an encrypted backup into the data folder, unless SESSION_SECRET is set.
 * @returns the secret of the backup or, without one, of this machine, if it has one; and a fault or a note
 */
async function placeSecret(
  settings: Settings,
  originalSettings: Settings,
  { manifest }: OpenedBackup,
): Promise<{ secret: string | undefined; fault?: string; note?: string }> {
  const { secreto } = manifest
  if (secreto === undefined) {
    const localSecret = await readSecret(originalSettings)
    return {
      secret: localSecret,
      note: localSecret
        ? `El secreto del sitio no viene en un respaldo sin cifrar: se comprobó con el de esta máquina. Cópialo a ${settings.dataDir}/session-secret, o ponlo en SESSION_SECRET, antes de arrancar.`
        : `El secreto del sitio no viene en un respaldo sin cifrar: pon el de antes en SESSION_SECRET, o su archivo session-secret en ${settings.dataDir}, antes de arrancar. Sin él las firmas de los votos no se pueden comprobar y los segundos pasos no se leen.`,
    }
  }
  if (settings.sessionSecret === undefined) {
    await writeFileAtomically(join(settings.dataDir, 'session-secret'), `${secreto}\n`)
    return { secret: secreto }
  }
  if (settings.sessionSecret === secreto) return { secret: secreto }
  return {
    secret: secreto,
    fault: 'SESSION_SECRET no es el secreto del respaldo: con otro ningún voto vale. Quítalo, o pon el de antes.',
  }
}

async function restoreEntry(
  settings: Settings,
  openedBackup: OpenedBackup,
  folio: string,
  mayUndoErasure: boolean,
  onProgress: ReportProgress,
  undo: Undo,
): Promise<CommandOutcome> {
  const { pool, storage } = await openCommandSite(settings, undo)
  const site = { pool, storage, dataDir: settings.dataDir }
  const { erasures, notices } = await collectErasureLogs(openedBackup.store, [settings.backupUrl], [settings.dataDir])
  for (const notice of notices) onProgress(notice)
  const { documentCount } = await reinstateEntry(openedBackup, site, {
    folio,
    mayUndoErasure,
    backupUrl: settings.backupUrl,
    migrationsFolder: MIGRATIONS,
    onProgress,
    erasures: mergeErasures(erasures, await readErasuresFromDatabase(openDatabase(pool))),
  })
  return {
    ok: true,
    line: `La inscripción ${folio} está de vuelta, con ${documentCount} archivos.`,
    data: { folio, documentos: documentCount },
  }
}
