import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, matchesGlob } from 'node:path'
import { expect, test } from 'vitest'
import config from '../../playwright.config.ts'

const tracked = execFileSync('git', [
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
const files = tracked.filter((path) => /\.(tsx?|mjs)$/.test(path))
const read = (path: string) => readFileSync(path, 'utf8')

const MAX_LINES = 350

test(`a file is ${MAX_LINES} lines long at most, or its first line says why`, () => {
  const long = files.filter((path) => {
    const text = read(path)
    return text.split('\n').length - 1 > MAX_LINES && !text.startsWith(`// Longer than ${MAX_LINES} lines: `)
  })
  expect(long).toEqual([])
})

const MAX_FILES = 25

test(`a folder of app/ has ${MAX_FILES} files at most, tests left out, or it has parts`, () => {
  const inFolders = Map.groupBy(
    tracked.filter((path) => path.startsWith('app/') && !path.includes('.test.')),
    dirname,
  )
  expect([...inFolders].filter(([, own]) => own.length > MAX_FILES).map(([folder]) => folder)).toEqual([])
})

test('the browser tests that begin first are there', () => {
  const [longRunning] = config.projects!
  const patterns = [longRunning!.testMatch].flat().map(String)
  expect(patterns).not.toEqual([])
  expect(patterns.filter((pattern) => !files.some((file) => matchesGlob(file, pattern)))).toEqual([])
})

/** Matches state of a module by service. A restart has to forget it, so it belongs to an object made with the site. */
const KEYED_BY_A_SERVICE = /^(export )?(const|let) .*new (Weak)?Map<(Services|Database|ObjectStorage|Settings)\b/m

test('no module keeps state by a service, a database or a storage', () => {
  expect(files.filter((path) => path.startsWith('app/') && KEYED_BY_A_SERVICE.test(read(path)))).toEqual([])
})

test('server/app.ts only composes: it imports nothing of app/ but core and the early routes', () => {
  const nouns = [...read('server/app.ts').matchAll(/from '#app\/([^']+)'/g)].map(([, path]) => path!)
  expect(nouns.filter((path) => !path.startsWith('core/') && path !== 'early-routes.server.ts')).toEqual([])
})

const sheets = tracked.filter((path) => path.endsWith('.css'))
const inSheets = (pattern: RegExp, isAllowed: (found: string) => boolean) =>
  sheets.flatMap((path) =>
    [...read(path).matchAll(pattern)].map(([, found]) => found!).filter((found) => !isAllowed(found)),
  )

/** The specification's 600, 640 and 1024 px, the header's 900 px, and 360 px for the narrowest phones. */
const BREAKPOINTS = 'max 359|min 360|max 599|min 600|max 640|min 641|max 900|min 901|max 1024|min 1025'.split('|')

test('style sheets break at the four widths, and at that of the narrowest phones', () => {
  expect(
    inSheets(/@media([^{]*)\{/g, (query) =>
      [...query.matchAll(/(min|max)-width: ([^)]*)px/g)].every(([, side, width]) =>
        BREAKPOINTS.includes(`${side} ${width}`),
      ),
    ),
  ).toEqual([])
  expect(inSheets(/(@media[^{]*width: [\d.]+r?em)/g, () => false)).toEqual([])
})

test('the size of a text is one of the eight of tokens.css, or drawn to fit', () => {
  const isDrawn = /vw|svh|cqi|var\(/
  const isRelative = /^(inherit|0|0\.9em|1em|max\(1rem, 1em\)|\d+px)$/
  const sizes = (pattern: RegExp) =>
    inSheets(pattern, (size) => isDrawn.test(size) || isRelative.test(size) || Number.parseFloat(size) >= 1.9)
  expect(sizes(/^\s*font-size: ([^;]+);/gm)).toEqual([])
  expect(sizes(/^\s*font: (?:italic )?\d+ (.+?)(?: \/ [\d.]+)? var\(--/gm)).toEqual([])
})
