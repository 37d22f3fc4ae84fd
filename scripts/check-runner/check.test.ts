import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../prepare.mjs'
import { readPlaywrightReport, readVitestReport } from './reports.ts'

test('npm run check without its tools says how to install them', () => {
  const tree = mkdtempSync(join(tmpdir(), 'certamen-check-'))
  for (const file of ['scripts/check.mjs', 'scripts/prepare.mjs', 'package.json'])
    cpSync(join(root, file), join(tree, file))
  const { status, stderr } = spawnSync(process.execPath, ['scripts/check.mjs'], { cwd: tree, encoding: 'utf8' })
  expect([status, stderr.split('\n')]).toEqual([1, [expect.stringMatching(/^Faltan .*«npm ci --ignore-scripts»/), '']])
  rmSync(tree, { recursive: true })
})

test('npm run check refuses a folder that does not exist', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/check.mjs', 'app/ninguna'], {
    cwd: root,
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([1, expect.stringContaining('ninguna carpeta «app/ninguna»')])
})

test('a failed test is reported with each failed assertion, and with the command that runs the test alone', () => {
  const results = [{ errors: [{ message: 'la primera\ny su línea' }, { message: 'la segunda' }] }]
  const spec = { title: 'dos cosas', file: 'una.e2e.ts', line: 7 }
  const suites = (projectName?: string) => [
    { suites: [{ specs: [{ ...spec, tests: [{ status: 'unexpected', projectName, results }] }] }] },
  ]
  const stats = { expected: 3, unexpected: 1, flaky: 0 }
  const said = readPlaywrightReport(JSON.stringify({ stats, suites: suites() }), 'tests/e2e')
  expect(said).toEqual({
    passed: 3,
    failed: 1,
    failures: [
      [
        '✘ tests/e2e/una.e2e.ts:7 › dos cosas',
        ...['    la primera', '    y su línea', '    la segunda'],
        '    Sola: npx playwright test tests/e2e/una.e2e.ts:7',
      ].join('\n'),
    ],
  })
  const text = JSON.stringify({ stats, suites: suites('firefox') })
  expect(readPlaywrightReport(text, 'tests/engines', ['--config=c.ts']).failures[0]).toContain(
    'Sola: npx playwright test --config=c.ts --project=firefox tests/engines/una.e2e.ts:7',
  )
  const file = { name: join(root, 'app/una.test.ts'), status: 'failed', message: '' }
  const assertionResults = [{ fullName: "lo 'mismo' (otra vez)", status: 'failed', failureMessages: ['no'] }]
  expect(
    readVitestReport(
      JSON.stringify({ numPassedTests: 0, numFailedTests: 1, testResults: [{ ...file, assertionResults }] }),
    ).failures[0],
  ).toMatch(/Sola: npm run prueba -- app\/una\.test\.ts -t 'lo '\\''mismo'\\'' \\\(otra vez\\\)'$/)
})
