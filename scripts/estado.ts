// npm run estado checks the site, whether it runs or not. Each line of its report is ok, a warning or a fault, with the remedy. While
// the site does not run, the command claims the data folder and starts the embedded database, unless DATABASE_URL is set.
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openDatabase, openPool } from '#app/core/db/database.server.ts'
import { runningSite } from '#app/core/process/data-folder-lock.server.ts'
import { readSettings } from '#app/core/process/env.server.ts'
import { reasonOf, runChecks } from '#app/ops/health/check.server.ts'
import { EXTERNAL_CHECKS } from '#app/ops/health/external-checks.server.ts'
import { INTERNAL_CHECKS } from '#app/ops/health/internal-checks.server.ts'
import { statusReport } from '#app/ops/health/rules.ts'
import { runWithin, type Undo } from '../server/undo.ts'
import { connectDatabase } from './commands/connect-database.ts'
import { parseOptions, runCommand } from './commands/run-command.ts'
import { root } from './prepare.mjs'
import { connectToSupervisor } from './supervisor/control-socket.ts'

const USAGE = 'Así se llama: npm run estado [-- --json]'
const { values } = parseOptions(USAGE, () => parseArgs({ options: { json: { type: 'boolean', default: false } } }))

/** Time for an answer of the database: a frozen one accepts connections, but does not answer. */
const DATABASE_TIMEOUT_MS = 6_000
/** Time for an answer of the supervisor, which may be frozen as well. */
const SUPERVISOR_TIMEOUT_MS = 30_000

/** Connects to the database; a failure becomes one line of the report. */
async function connectOrFindReason(settings: ReturnType<typeof readSettings>, undo: Undo) {
  try {
    const connection = await connectDatabase(settings, undo)
    if (connection === undefined) return { db: undefined }
    const pool = openPool(connection, 4)
    undo.push(() => runWithin(pool.end(), DATABASE_TIMEOUT_MS).catch(() => {}))
    pool.on('error', () => {})
    await runWithin(pool.query('select 1'), DATABASE_TIMEOUT_MS)
    return { db: openDatabase(pool) }
  } catch (error) {
    return { db: undefined, noDatabaseReason: `La base de datos no responde (${reasonOf(error)}).` }
  }
}

/**
 * Asks the supervisor for the running version and its health. Both are undefined without a supervisor, and from a supervisor of
 * an older version; the version also while it has no snapshot. A supervisor that does not answer in time is itself the reason why
 * the site is unwell.
 */
async function askSupervisor(dataDir: string) {
  const supervisor = await connectToSupervisor(dataDir)
  try {
    const timeout = sleep(SUPERVISOR_TIMEOUT_MS, { motivo: 'el proceso que lo cuida no contesta' }, { ref: false })
    const answer = (await Promise.race([supervisor?.request({ orden: 'quien' }), timeout])) as
      | { version?: string; motivo?: string }
      | undefined
    return { runningVersion: answer?.version, unwellReason: answer?.motivo }
  } catch {
    return {}
  } finally {
    supervisor?.close()
  }
}

await runCommand({ isJson: values.json }, async (_onProgress, undo) => {
  const settings = readSettings(process.env)
  const isRunning = (await runningSite(settings.dataDir)) !== undefined
  const supervisorAnswer = isRunning ? await askSupervisor(settings.dataDir) : {}
  const { db, noDatabaseReason } = await connectOrFindReason(settings, undo)
  const checkContext = { settings, db, noDatabaseReason, root, isRunning, ...supervisorAnswer, now: new Date() }
  const findings = await runChecks([...INTERNAL_CHECKS, ...EXTERNAL_CHECKS], checkContext)
  const { table, line } = statusReport(findings)
  const isHealthy = findings.every(({ nivel }) => nivel !== 'falla')
  return { ok: isHealthy, linesBefore: table, line, data: { enMarcha: isRunning, lineas: findings } }
})
