import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { matchesGlob } from 'node:path'
import { expect, test } from 'vitest'
import { EXTENDED_PARTS, GLOBS_OF_ALL_PARTS, keyOf, partsFor, partsNotPassed, runsAlike } from './extended-parts.ts'

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard']).toString().split('\n')
const names = (...changed: string[]) => partsFor(changed).map(keyOf)

test('each folder of tests/extended and each rig is a part, and each of their globs matches a file', () => {
  const folders = EXTENDED_PARTS.flatMap(({ run }) => (typeof run === 'object' && 'folder' in run ? [run.folder] : []))
  expect(folders.sort()).toEqual(globSync('*', { cwd: 'tests/extended' }).sort())
  const rigs = EXTENDED_PARTS.flatMap(({ run }) => (typeof run === 'object' && 'command' in run ? [run.command] : []))
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
  expect(rigs.sort()).toEqual(
    Object.keys(scripts)
      .filter((name) => /^test:(?!all)/.test(name))
      .sort(),
  )
  const globs = [...GLOBS_OF_ALL_PARTS, ...EXTENDED_PARTS.flatMap(({ touchedBy }) => touchedBy)]
  expect(globs.filter((glob) => !files.some((file) => matchesGlob(file, glob)))).toEqual([])
})

test('a change requires the parts whose globs it touches; a shared file requires every part', () => {
  expect(names('docs/glosario.md', 'tests/e2e/voting.e2e.ts')).toEqual([])
  expect(names('docs/glosario.md', 'app/mail/worker.server.ts')).toEqual(
    expect.arrayContaining(['test:imap', 'test:fallas', 'attack']),
  )
  expect(names('tests/extended/handbook/handbook.e2e.ts')).toEqual(['handbook'])
  expect(names('docs/manual-del-comite.md')).toEqual(['handbook'])
  expect(names('scripts/rigs/deployment-guide.ts')).toEqual(expect.arrayContaining(['test:despliegue']))
  expect(names('README.md', 'tests/e2e/site.ts')).toHaveLength(EXTENDED_PARTS.length)
})

test('a part that passed after the base answers only for the files that changed since', async () => {
  const changes: Record<string, string[]> = {
    first: ['app/mail/worker.server.ts', 'deploy/haproxy.cfg'],
    second: ['deploy/haproxy.cfg'],
  }
  const partsWith = async (passed: string) =>
    (await partsNotPassed('first', passed, async (commit) => changes[commit]!)).map(keyOf)
  const withoutLines = await partsWith('')
  expect(withoutLines).toEqual(expect.arrayContaining(['panel', 'test:imap', 'test:varios', 'test:despliegue']))
  expect(await partsWith('second test:imap\nsecond test:varios\n')).toEqual(
    withoutLines.filter((key) => key !== 'test:imap'),
  )
  await expect(partsWith('third panel')).rejects.toThrow()
})

test.each([
  [
    'a.ts',
    'const [one] = [1]\nexport const f = (n: number) => n + one',
    '// Why.\nconst [two] = [1]\nexport const f = (count: number) =>\n  count + two',
    true,
  ],
  ['a.ts', 'export const f = (n: number) => n + 1', 'export const f = (n: number) => n + 2', false],
  ['a.ts', 'export const f = 1', 'export const g = 1', false],
  ['a.tsx', 'export const A = () => <p id="a">{/* Why. */}Sí</p>', 'export const A = () => <p id="a">Sí</p>', true],
  ['a.tsx', 'export const A = () => <p>Sí</p>', 'export const A = () => <p>No</p>', false],
  ['a.css', 'a { color: red } /* Why. */', 'a { color: red } ', true],
  ['a.css', 'a { color: red }', 'a { color: #f00 }', false],
  ['a.md', 'One', 'one', false],
])('of %s, «%s» and «%s» run alike: %s', async (path, before, after, isAlike) => {
  expect(await runsAlike(path, before, after)).toBe(isAlike)
})
