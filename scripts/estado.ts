// npm run estado: checks the site, while it runs or not. Each line says ok, warning or fault, and the remedy.
import { parseArgs } from 'node:util'
import { openDatabase, openPool } from '#app/core/db/database.server.ts'
import { runningSite } from '#app/core/process/data-folder-lock.server.ts'
import { readSettings } from '#app/core/process/env.server.ts'
import { reasonOf, runChecks } from '#app/ops/health/check.server.ts'
import { EXTERNAL_CHECKS } from '#app/ops/health/external-checks.server.ts'
import { INTERNAL_CHECKS } from '#app/ops/health/internal-checks.server.ts'
import type { HealthLevel } from '#app/ops/health/schema.ts'
import { runWithin, type Undo } from '../server/undo.ts'
import { connect } from './commands/connect-database.ts'
import { parseOptions, runCommand } from './commands/run-command.ts'
import { root } from './prepare.mjs'

const USAGE = 'Así se llama: npm run estado [-- --json]'
const { values } = parseOptions(USAGE, () => parseArgs({ options: { json: { type: 'boolean', default: false } } }))

const LEVEL_LABELS: Record<HealthLevel, string> = { ok: 'ok   ', aviso: 'AVISO', falla: 'FALLA' }

/** A frozen database accepts connections and answers none. */
const REACH_MS = 6_000

/** Connects to the database; a failure becomes one line of the report. */
async function reach(settings: ReturnType<typeof readSettings>, undo: Undo) {
  try {
    const connection = await connect(settings, undo)
    if (connection === undefined) return { db: undefined }
    const pool = openPool(connection, 4)
    undo.push(() => runWithin(pool.end(), REACH_MS).catch(() => {}))
    pool.on('error', () => {})
    await runWithin(pool.query('select 1'), REACH_MS)
    return { db: openDatabase(pool) }
  } catch (error) {
    return { db: undefined, noDatabaseReason: `La base de datos no responde (${reasonOf(error)}).` }
  }
}

await runCommand(values, async (onProgress, undo) => {
  const settings = readSettings(process.env)
  const running = (await runningSite(settings.dataDir)) !== undefined
  const { db, noDatabaseReason } = await reach(settings, undo)
  const checkContext = { settings, db, noDatabaseReason, root, isRunning: running, now: new Date() }
  const lines = await runChecks([...INTERNAL_CHECKS, ...EXTERNAL_CHECKS], checkContext)
  for (const { titulo, nivel, dice: said, remedio } of lines) {
    onProgress(`${LEVEL_LABELS[nivel]}  ${titulo}: ${said}`)
    if (remedio && nivel !== 'ok') onProgress(`         → ${remedio}`)
  }
  const count = (which: HealthLevel) => lines.filter(({ nivel }) => nivel === which).length
  const [faults, notices] = [count('falla'), count('aviso')]
  const line =
    faults > 0
      ? `Hay ${faults} ${faults === 1 ? 'falla' : 'fallas'} y ${notices} avisos: arriba dice qué hacer con cada uno.`
      : notices > 0
        ? `El sitio está bien, con ${notices} ${notices === 1 ? 'aviso' : 'avisos'}.`
        : 'El sitio está bien.'
  return { ok: faults === 0, line, data: { enMarcha: running, lineas: lines } }
})
