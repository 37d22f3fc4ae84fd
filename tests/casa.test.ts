import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { matchesGlob } from 'node:path'
import { expect, test } from 'vitest'
import config from '../playwright.config.ts'

const files = execFileSync('git', [
  'ls-files',
  '--cached',
  '--others',
  '--exclude-standard',
  'app',
  'server',
  'scripts',
  'tests',
])
  .toString()
  .split('\n')
  .filter((path) => /\.(tsx?|mjs)$/.test(path))
const read = (path: string) => readFileSync(path, 'utf8')

const MAX_LINES = 350

test(`a file is ${MAX_LINES} lines long at most, or its first line says why`, () => {
  const long = files.filter((path) => {
    const text = read(path)
    return text.split('\n').length - 1 > MAX_LINES && !text.startsWith(`// Longer than ${MAX_LINES} lines: `)
  })
  expect(long).toEqual([])
})

test('browser tests that take minutes and begin first are there', () => {
  const [largas] = config.projects!
  const patterns = [largas!.testMatch].flat().map(String)
  expect(patterns).not.toEqual([])
  expect(patterns.filter((pattern) => !files.some((file) => matchesGlob(file, pattern)))).toEqual([])
})

/** What a process remembers of a site belongs to an object that is made with it: a restart forgets it. */
const KEYED_BY_A_SERVICE = /^(export )?(const|let) .*new (Weak)?Map<(Services|Database|ObjectStorage|Settings)\b/m

test('no module remembers anything by a service, a database or a storage', () => {
  expect(files.filter((path) => path.startsWith('app/') && KEYED_BY_A_SERVICE.test(read(path)))).toEqual([])
})

test('what runs on the server is handed its parts: nothing there but composes is in server/app.ts', () => {
  const nouns = [...read('server/app.ts').matchAll(/from '#app\/([^']+)'/g)].map(([, path]) => path!)
  expect(nouns.filter((path) => !path.startsWith('platform/') && path !== 'direcciones.server.ts')).toEqual([])
})
