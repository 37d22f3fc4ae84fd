import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { IMAGES_FOLDER } from '#app/cms/media/image-manifest.server.ts'
import { claimFile } from '#app/core/process/data-folder-lock.server.ts'
import { findTestBrowser } from '../browser.mjs'
import { resolveFromCaller } from '../commands/load-command.ts'
import { fail, root } from '../prepare.mjs'
import { EXTENDED_PARTS, type ExtendedPart, touchedParts } from './extended-parts.ts'
import { type ReportData, readPlaywrightReport, readRigReport, readVitestReport } from './reports.ts'

interface Step {
  name: string
  args: string[]
  /** Reads the JSON report of a test runner. */
  report?: (text: string) => ReportData
}

const node = process.execPath
const bin = (name: string) => join(root, 'node_modules', name)
const reportsFolder = await mkdtemp(join(tmpdir(), 'certamen-check-'))

const format = (folder = '.'): Step => ({
  name: 'formato y estilo',
  args: [bin('@biomejs/biome/bin/biome'), 'ci', '--error-on-warnings', folder],
})
const TYPES: Step[] = [
  { name: 'tipos de las rutas', args: [bin('@react-router/dev/bin.cjs'), 'typegen'] },
  { name: 'tipos', args: [bin('typescript-7/bin/tsc'), '-p', '.'] },
  cruise('fronteras entre carpetas', '.dependency-cruiser.cjs'),
  cruise('círculos entre carpetas', '.dependency-cruiser.carpetas.cjs'),
]
const UNUSED: Step = { name: 'piezas sin uso', args: [bin('knip/bin/knip.js')] }
const CONTENT: Step = { name: 'contenido', args: ['scripts/contenido.ts', 'revisar'] }
// The build also generates the pictures of the first view, which later checks need.
const BUILD: Step = { name: 'construcción', args: ['scripts/build.ts'] }
const CARDS: Step = { name: 'tarjetas para compartir', args: ['scripts/images.ts', '--tarjetas'] }
const HTML: Step = { name: 'HTML de las páginas', args: ['scripts/check-runner/validate-html.ts'] }
const ENGINES = 'playwright.engines.config.ts'

function cruise(name: string, config: string): Step {
  const program = bin('dependency-cruiser/bin/dependency-cruiser.mjs')
  return { name, args: [program, '--config', config, 'app', 'server', 'scripts'] }
}

function vitest(name: string, project: string, ...files: string[]): Step {
  return {
    name,
    args: [bin('vitest/vitest.mjs'), 'run', '--project', project, '--reporter=default', '--reporter=json', ...files],
    report: readVitestReport,
  }
}
const unit = (...files: string[]) => vitest('pruebas unitarias', 'unit', ...files)
// The smallest machine has two cores; a third worker pays, since these tests wait for PostgreSQL a third of their time.
const database = (...files: string[]) => vitest('pruebas con base de datos', 'database', '--maxWorkers=3', ...files)

function playwright(name: string, folder: string, ...args: string[]): Step {
  return {
    name,
    args: [bin('@playwright/test/cli.js'), 'test', '--reporter=list,json', ...args],
    report: (text) =>
      readPlaywrightReport(
        text,
        folder,
        args.filter((arg) => arg.startsWith('--config')),
      ),
  }
}
const chromium = (...files: string[]) => playwright('pruebas en el navegador', 'tests', ...files)
const engines = (...files: string[]) =>
  playwright('pruebas en Firefox y WebKit', 'tests/engines', `--config=${ENGINES}`, ...files)
/** Selects the two journeys that must work in every browser: a registration and a vote. */
const TWO_JOURNEYS = '--grep=registro de una candidata|el voto'

/** Checks extended parts, but for the engines': the Vitest project, then their browser tests in one run, then the rigs. */
async function runExtended(parts: ExtendedPart[]): Promise<void> {
  const folders = parts.flatMap(({ run }) =>
    typeof run === 'object' && 'folder' in run ? [`tests/extended/${run.folder}/`] : [],
  )
  const rigs = parts.flatMap(({ run }) => (typeof run === 'object' && 'command' in run ? [run.command] : []))
  if (parts.some(({ run }) => run === 'vitest')) await runAlone(vitest('pruebas aparte', 'extended'))
  if (folders.length > 0) await runAlone(playwright('pruebas aparte en el navegador', 'tests', ...folders))
  const steps = rigs.map((command): Step => ({ name: command, args: ['--run', command], report: readRigReport }))
  const { faults = [], others = [] } = Object.groupBy(steps, ({ name }) =>
    name === 'test:fallas' ? 'faults' : 'others',
  )
  // The rig of faults runs beside the others, with which it shares neither ports nor folders; the others run one after the other.
  await Promise.all([runInTurn(...faults), runInTurn(...others)])
}

const total: ReportData = { passed: 0, failed: 0, failures: [] }

/**
 * Runs a step in a process of its own, and adds its counts to `total`.
 * @param isAlone whether no other step runs at the same time: then the output is shown at once, otherwise when the step has ended
 */
async function run(step: Step, isAlone = false): Promise<void> {
  if (isAlone) console.log(`\n── ${step.name}`)
  const reportFile = join(reportsFolder, `${step.name}.json`)
  const vitestArgs = step.args.includes('--reporter=json') ? [`--outputFile.json=${reportFile}`] : []
  const startMs = Date.now()
  const child = spawn(node, ['--disable-warning=ExperimentalWarning', ...step.args, ...vitestArgs], {
    cwd: root,
    stdio: isAlone ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      // This process's Node comes first in PATH, so that tools start the same Node.
      PATH: `${dirname(node)}:${process.env.PATH}`,
      CHROMIUM: findTestBrowser() ?? '',
      PLAYWRIGHT_JSON_OUTPUT_NAME: reportFile,
      RIG_REPORT: reportFile,
      LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn',
      // The tests start a thousand Node processes, which share compiled modules.
      NODE_COMPILE_CACHE: join(root, '.cache/compilado'),
    },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
    })
  const [code] = (await once(child, 'close')) as [number | null]
  const counts = { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1 }
  if (step.report) {
    const reportData = await readFile(reportFile, 'utf8').then(step.report, () => undefined)
    // A runner that exits with an error without a failed test counts as one failure.
    if (reportData)
      Object.assign(counts, {
        passed: reportData.passed,
        failed: code !== 0 && reportData.failed === 0 ? 1 : reportData.failed,
      })
    total.failures.push(...(reportData?.failures ?? []))
  }
  if (counts.failed > 0) total.failures.push(`✘ ${step.name}`)
  total.passed += counts.passed
  total.failed += counts.failed
  const outputLines = isAlone ? [] : ['', `── ${step.name}`, ...(output.trim() === '' ? [] : [output.trimEnd()])]
  const seconds = ((Date.now() - startMs) / 1000).toFixed(1)
  console.log([...outputLines, `── ${step.name}: ${counts.failed === 0 ? 'bien' : 'MAL'} (${seconds} s)`].join('\n'))
}

async function runInTurn(...steps: Step[]): Promise<void> {
  for (const step of steps) await run(step)
}

async function runAlone(...steps: Step[]): Promise<void> {
  for (const step of steps) await run(step, true)
}

/**
 * Runs all checks. Steps that keep one core busy each and share no files run side by side. While the tests of tests/e2e run, a claim
 * keeps their sites from making the thousand picture sizes of content/, which a fresh clone lacks: these tests need the share cards
 * only.
 * @param parts extended parts, which run last
 */
async function runEverything(parts: ExtendedPart[]): Promise<void> {
  const journeys = parts.some(({ run }) => run === 'engines') ? [] : [TWO_JOURNEYS]
  await Promise.all([
    runInTurn(format(), ...TYPES, UNUSED, CONTENT, unit()),
    runInTurn(BUILD).then(() => Promise.all([runInTurn(HTML, CARDS, engines(...journeys)), runInTurn(database())])),
  ])
  const releasePictures = await claimFile(join(root, `${IMAGES_FOLDER}.pid`), '', 60_000)
  await runAlone(chromium('tests/e2e/'))
  if (typeof releasePictures === 'function') await releasePictures()
  await runExtended(parts)
}

const runQuick = () => Promise.all([runInTurn(format(), ...TYPES, UNUSED, CONTENT), runInTurn(unit())])

/** Runs a folder's checks and tests, and the browser tests that have its name or import from it. */
async function runAround(folder: string): Promise<void> {
  const listFiles = (pattern: string) => globSync(join(folder, pattern), { cwd: root })
  const databaseTests = listFiles('**/*.db.test.ts')
  const unitTests = listFiles('**/*.test.{ts,tsx}').filter((file) => !/\.(db|s3|imap)\.test\.ts$/.test(file))
  const name = basename(folder).replace(/s$/, '')
  const belongsToFolder = (file: string) =>
    !relative(folder, file).startsWith('..') ||
    (/^app\/\w/.test(folder) &&
      (basename(file).startsWith(name) || readFileSync(join(root, file), 'utf8').includes(`'#${folder}/`)))
  const browserTests = globSync('tests/e2e/*.e2e.ts', { cwd: root }).filter(belongsToFolder)
  const engineTests = globSync('tests/engines/*.engine.ts', { cwd: root }).filter(belongsToFolder)
  await Promise.all([
    runInTurn(format(folder), ...TYPES, ...(unitTests.length > 0 ? [unit(...unitTests)] : [])),
    databaseTests.length + browserTests.length + engineTests.length > 0 && runInTurn(BUILD),
  ])
  if (databaseTests.length > 0) await runAlone(database(...databaseTests))
  if (engineTests.length > 0) await runAlone(engines(...engineTests))
  if (browserTests.length > 0) await runAlone(chromium(...browserTests))
}

const { values, positionals } = parseArgs({
  options: { quick: { type: 'boolean' }, all: { type: 'boolean' }, touched: { type: 'boolean' } },
  allowPositionals: true,
})
const folder = positionals[0] === undefined ? undefined : relative(root, resolveFromCaller(positionals[0]))
if (folder !== undefined && (folder.startsWith('..') || !existsSync(join(root, folder))))
  fail(`Aquí no hay ninguna carpeta «${positionals[0]}». Di una del proyecto, como app/cms/edition-settings.`)
if (values.quick) await runQuick()
else if (folder) await runAround(folder)
else await runEverything(values.all ? EXTENDED_PARTS : values.touched ? await touchedParts() : [])

await rm(reportsFolder, { recursive: true, force: true })
// Long outputs are often cut at the beginning, so the failures are repeated at the end.
if (total.failures.length > 0) console.log(`\n${total.failures.join('\n')}`)
console.log(`\n${total.passed} passed, ${total.failed} failed`)
process.exit(total.failed === 0 ? 0 : 1)
