import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { findTestBrowser } from './browser.mjs'
import { root } from './prepare.mjs'

interface Count {
  passed: number
  failed: number
}

/** What a test runner says: how many, and the failed ones by name, each with the beginning of why. */
interface Report extends Count {
  failures: string[]
}

interface VitestReport {
  numPassedTests: number
  numFailedTests: number
  testResults: {
    name: string
    status: string
    message: string
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[]
  }[]
}

interface PlaywrightSuite {
  suites?: PlaywrightSuite[]
  specs?: {
    title: string
    file: string
    line: number
    ok: boolean
    tests: { status: string; results: { error?: { message?: string } }[] }[]
  }[]
}

const node = process.execPath
const bin = (name: string) => join(root, 'node_modules', name)
const reports = await mkdtemp(join(tmpdir(), 'certamen-check-'))

/** The checks in their order: those that are quick and say most come first. `report` reads a test runner's JSON. */
const STEPS: { name: string; args: string[]; report?: (text: string) => Report }[] = [
  { name: 'formato y estilo', args: [bin('@biomejs/biome/bin/biome'), 'ci', '--error-on-warnings', '.'] },
  { name: 'tipos de las rutas', args: [bin('@react-router/dev/bin.cjs'), 'typegen'] },
  { name: 'tipos', args: [bin('typescript-7/bin/tsc'), '-p', '.'] },
  cruise('fronteras entre carpetas', '.dependency-cruiser.cjs'),
  cruise('círculos entre carpetas', '.dependency-cruiser.carpetas.cjs'),
  { name: 'piezas sin uso', args: [bin('knip/bin/knip.js')] },
  { name: 'contenido', args: ['scripts/contenido.ts', 'revisar'] },
  vitest('pruebas unitarias', 'unit'),
  // The build also makes the pictures, which later checks need.
  { name: 'construcción', args: ['scripts/build.ts'] },
  vitest('pruebas con base de datos', 'database'),
  { name: 'HTML de las páginas', args: ['scripts/html.ts'] },
  playwright('pruebas en Firefox y WebKit', '--config=playwright.motores.config.ts'),
  playwright('pruebas en el navegador'),
]

function cruise(name: string, config: string) {
  const program = bin('dependency-cruiser/bin/dependency-cruiser.mjs')
  return { name, args: [program, '--config', config, 'app', 'server', 'scripts'] }
}

function vitest(name: string, project: string) {
  return {
    name,
    args: [bin('vitest/vitest.mjs'), 'run', '--project', project, '--reporter=default', '--reporter=json'],
    report: (text: string) => {
      const { numPassedTests, numFailedTests, testResults } = JSON.parse(text) as VitestReport
      const failures = testResults.flatMap((file) => {
        const failed = file.assertionResults.filter(({ status }) => status === 'failed')
        if (failed.length === 0 && file.status === 'failed') return [failure(file.name, file.message)]
        return failed.map((test) => failure(`${file.name} › ${test.fullName}`, test.failureMessages[0]))
      })
      return { passed: numPassedTests, failed: numFailedTests, failures }
    },
  }
}

function playwright(name: string, ...args: string[]) {
  return {
    name,
    args: [bin('@playwright/test/cli.js'), 'test', '--reporter=list,json', ...args],
    report: (text: string) => {
      const { stats, suites } = JSON.parse(text) as {
        stats: { expected: number; unexpected: number; flaky: number }
        suites: PlaywrightSuite[]
      }
      const failures = suites.flatMap(specsOf).flatMap((spec) => {
        const bad = spec.tests.find(({ status }) => status === 'unexpected' || status === 'flaky')
        if (!bad) return []
        const why = bad.results.find(({ error }) => error)?.error?.message
        return [failure(`${spec.file}:${spec.line} › ${spec.title}`, why)]
      })
      return { passed: stats.expected, failed: stats.unexpected + stats.flaky, failures }
    },
  }
}

function specsOf(suite: PlaywrightSuite): NonNullable<PlaywrightSuite['specs']> {
  return [...(suite.specs ?? []), ...(suite.suites ?? []).flatMap(specsOf)]
}

function failure(name: string, why = '') {
  const own = stripVTControlCharacters(why)
    .split('\n')
    .filter((line) => !line.includes('/node_modules/'))
  return `✘ ${name.replace(`${root}/`, '')}\n    ${own.slice(0, 12).join('\n    ')}`
}

const total: Report = { passed: 0, failed: 0, failures: [] }
for (const step of STEPS) {
  console.log(`\n── ${step.name}`)
  const report = join(reports, `${STEPS.indexOf(step)}.json`)
  const vitestFile = step.args.includes('--reporter=json') ? [`--outputFile.json=${report}`] : []
  const began = Date.now()
  const child = spawn(node, ['--disable-warning=ExperimentalWarning', ...step.args, ...vitestFile], {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      // This process's Node comes first, so that a tool that starts Node starts the same one.
      PATH: `${dirname(node)}:${process.env.PATH}`,
      CHROMIUM: findTestBrowser() ?? '',
      PLAYWRIGHT_JSON_OUTPUT_NAME: report,
      LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn',
      // The tests start a thousand programs; each is compiled once.
      NODE_COMPILE_CACHE: join(root, '.cache/compilado'),
    },
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  const count = { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1 }
  if (step.report) {
    const found = await readFile(report, 'utf8').then(step.report, () => undefined)
    // A runner that broke off before its first test has failed, whatever it counted.
    if (found)
      Object.assign(count, { passed: found.passed, failed: code !== 0 && found.failed === 0 ? 1 : found.failed })
    total.failures.push(...(found?.failures ?? []))
  }
  if (count.failed > 0) total.failures.push(`✘ ${step.name}`)
  total.passed += count.passed
  total.failed += count.failed
  console.log(`── ${step.name}: ${count.failed === 0 ? 'bien' : 'MAL'} (${((Date.now() - began) / 1000).toFixed(1)} s)`)
}
await rm(reports, { recursive: true, force: true })
// The end of a long output is what is kept of it, so the failures are said again there.
if (total.failures.length > 0) console.log(`\n${total.failures.join('\n')}`)
console.log(`\n${total.passed} passed, ${total.failed} failed`)
process.exit(total.failed === 0 ? 0 : 1)
