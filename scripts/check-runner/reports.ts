// Reads the JSON reports of the test runners.
import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { root } from '../prepare.mjs'

/** Test counts, and of each failed test its name and, if known, the first lines of its errors and the command that runs it alone. */
export interface ReportData {
  passed: number
  failed: number
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
    tests: { status: string; projectName?: string; results: { errors?: { message?: string }[] }[] }[]
  }[]
}

export function readVitestReport(text: string): ReportData {
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(text) as VitestReport
  const failures = testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(root, name)
    const command = `npm run prueba -- ${file}`
    const failedTests = assertionResults.filter((test) => test.status === 'failed')
    if (failedTests.length === 0 && status === 'failed') return [describeFailure(file, [message], command)]
    return failedTests.map(({ fullName, failureMessages }) =>
      describeFailure(
        `${file} › ${fullName}`,
        failureMessages.slice(0, 1),
        `${command} -t ${quoteForShell(escapeRegExp(fullName))}`,
      ),
    )
  })
  return { passed: numPassedTests, failed: numFailedTests, failures }
}

/** Reads Playwright's report. @param folder of the tests @param options that the command takes beside the test */
export function readPlaywrightReport(text: string, folder: string, options: string[] = []): ReportData {
  const { stats, suites } = JSON.parse(text) as {
    stats: { expected: number; unexpected: number; flaky: number }
    suites: PlaywrightSuite[]
  }
  const failures = suites.flatMap(specsOf).flatMap(({ title, file, line, tests }) =>
    tests
      .filter(({ status }) => status === 'unexpected' || status === 'flaky')
      .map(({ projectName, results }) => {
        const place = `${folder}/${file}:${line}`
        const project = projectName ? [`--project=${projectName}`] : []
        // A test with soft assertions has one error for each assertion that failed.
        const messages = results.find(({ errors }) => errors?.length)?.errors ?? []
        const command = ['npx playwright test', ...options, ...project, place].join(' ')
        return describeFailure(
          `${place} › ${title}`,
          messages.map(({ message = '' }) => message),
          command,
        )
      }),
  )
  return { passed: stats.expected, failed: stats.unexpected + stats.flaky, failures }
}

function specsOf(suite: PlaywrightSuite): NonNullable<PlaywrightSuite['specs']> {
  return [...(suite.specs ?? []), ...(suite.suites ?? []).flatMap(specsOf)]
}

function describeFailure(name: string, messages: string[], command: string): string {
  const lines = messages.flatMap((message) =>
    stripVTControlCharacters(message)
      .split('\n')
      .filter((line) => !line.includes('/node_modules/'))
      .slice(0, 12),
  )
  return [`✘ ${name}`, ...lines.map((line) => `    ${line}`), `    Sola: ${command}`].join('\n')
}

/** Escapes a test's name, which the runner reads as a regular expression. */
const escapeRegExp = (name: string) => name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

const quoteForShell = (word: string) => `'${word.replaceAll("'", "'\\''")}'`

/**
 * Reads a rig's report.
 * @param text content of the rig's RIG_REPORT file: the number of passed checks, and a line for each failed check
 */
export function readRigReport(text: string): ReportData {
  const { passed, failures } = JSON.parse(text) as { passed: number; failures: string[] }
  return { passed, failed: failures.length, failures: failures.map((line) => `✘ ${line}`) }
}
