// The parts that `npm run test:all` checks beyond `npm test`, each with the files whose change requires it.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { matchesGlob } from 'node:path'
import { minifySync, transformWithOxc } from 'vite'
import { root } from '../prepare.mjs'

export interface ExtendedPart {
  name: string
  /** A folder of tests/extended, a rig's command, the journeys in all engines, or the Vitest project `extended`. */
  run: { folder: string } | { command: string } | 'engines' | 'vitest'
  /** Globs of the files whose change requires this part. */
  touchedBy: string[]
}

export const EXTENDED_PARTS: ExtendedPart[] = [
  {
    name: 'the site is built anew: another edition, a new field, a corrected name',
    run: { folder: 'code-changes' },
    touchedBy: [
      'content/**',
      'db/**',
      'app/cms/**',
      'app/entries/**',
      'app/voting/**',
      'scripts/{build.ts,build-steps/**}',
      'docs/campo-nuevo.md',
    ],
  },
  {
    name: 'package and update',
    run: { folder: 'update' },
    touchedBy: [
      'server/**',
      'scripts/{*,build-steps/*,commands/*,supervisor/*}',
      'deploy/**',
      'db/**',
      'vite.config.ts',
    ],
  },
  {
    name: 'start, stop, faults, copies, moves',
    run: { folder: 'operation' },
    touchedBy: ['server/**', 'scripts/{*,commands/*,supervisor/*}', 'db/**', 'app/{core,cms,ops,voting}/**'],
  },
  {
    name: 'the handbook and its pictures',
    run: { folder: 'handbook' },
    touchedBy: ['docs/manual*', 'docs/manual*/**', 'content/**', 'app/**/*.{tsx,css}'],
  },
  {
    name: 'the organisers’ panel',
    run: { folder: 'panel' },
    touchedBy: ['app/{analytics,audit,cms,core,entries,mail,ops,panel,ui,voting}/**', 'server/**'],
  },
  {
    name: 'accounts of organisers and journalists',
    run: { folder: 'accounts' },
    touchedBy: ['app/{accounts,core,panel}/**', 'server/**', 'scripts/cuentas.ts', 'scripts/commands/accounts*'],
  },
  {
    name: 'hostile files, pictures of every size, backups, killed databases, two processes, thousands of entries',
    run: 'vitest',
    touchedBy: ['app/{cms,core,entries,ops,voting}/**', 'scripts/images*', 'db/**', 'server/**'],
  },
  {
    name: 'whole evenings: fifteen entries, a final with five judges',
    run: { folder: 'scenarios' },
    touchedBy: [
      'app/{accounts,cms,entries,finals,panel,ui}/**',
      'app/core/**/*.tsx',
      'tests/support/accounts/judges.ts',
    ],
  },
  {
    name: 'a flood, a crowd that signs in, and forms that hold the thread',
    run: { folder: 'attack' },
    touchedBy: ['server/**', 'app/**/*.server.ts', 'app/**/*.{page,resource}.{ts,tsx}', 'app/core/**'],
  },
  {
    name: 'networks that filter or stop in the middle, browsers without storage, scripts that come late or fail',
    run: { folder: 'connection' },
    touchedBy: ['server/**', 'app/core/{browser-resilience,http,uploads}/**', 'app/entries/**', 'app/**/*.{tsx,css}'],
  },
  {
    name: 'the commands of README.md and docs/comandos.md',
    run: { folder: 'readme' },
    touchedBy: ['README.md', 'docs/{comandos,primer-cambio}.md', 'scripts/**', 'package.json'],
  },
  {
    name: 'all journeys in Firefox and WebKit',
    run: 'engines',
    touchedBy: [
      'tests/engines/**',
      'scripts/engines.mjs',
      'server/**',
      'app/**/*.{tsx,css}',
      'app/ui/**',
      'app/entries/**',
    ],
  },
  {
    name: 'a real S3 server',
    run: { command: 'test:s3' },
    touchedBy: ['app/core/storage/**', 'app/ops/backup/**', '**/*.s3.test.ts', 'scripts/rigs/{s3,vitest-project}.ts'],
  },
  {
    name: 'a real IMAP server',
    run: { command: 'test:imap' },
    touchedBy: ['app/mail/**', 'app/core/mail-transport/**', 'scripts/rigs/{imap,vitest-project}.ts'],
  },
  {
    name: 'several processes on several machines',
    run: { command: 'test:varios' },
    touchedBy: [
      'server/**',
      'db/**',
      'app/**/*.server.ts',
      'scripts/rigs/{cluster,connection-budget,machines,smoke-test}.ts',
      'tests/faults/{consistency,crowd,publication,site}.ts',
      'deploy/haproxy.cfg',
    ],
  },
  {
    name: 'faults under a crowd',
    run: { command: 'test:fallas' },
    touchedBy: ['server/**', 'db/**', 'app/**/*.server.ts', 'tests/faults/**'],
  },
  {
    name: 'proxies, service, installation, image',
    run: { command: 'test:despliegue' },
    touchedBy: [
      'deploy/**',
      'scripts/rigs/{deployment,smoke-test}*',
      'scripts/{certamen,empaquetar,start}.*',
      'scripts/run-folder.ts',
      'docs/operacion.md',
    ],
  },
]

/** Globs of the files whose change requires all parts. */
export const GLOBS_OF_ALL_PARTS = [
  'package-lock.json',
  'playwright*.config.ts',
  'vitest.config.ts',
  'scripts/{check,browser,prepare,test}.*',
  'scripts/check-runner/*',
  'tests/support/**',
  'tests/e2e/!(*.e2e).ts',
]

/** File with the id of the last commit whose parts have all passed; the changes since then have to be checked. */
const BASE_FILE = '.ci/base'

/** File with the parts that have passed since: a line is a later commit and the key (`keyOf`) of a part that passed there. */
const PASSED_FILE = '.ci/passed'

const isTouched = (files: string[], globs: string[]) =>
  files.some((file) => globs.some((glob) => matchesGlob(file, glob)))

/** Returns the parts that a change requires. @param files paths from the root that the change adds, removes or writes */
export function partsFor(files: string[]): ExtendedPart[] {
  if (isTouched(files, GLOBS_OF_ALL_PARTS)) return EXTENDED_PARTS
  return EXTENDED_PARTS.filter(({ run, touchedBy }) =>
    isTouched(
      files,
      typeof run === 'object' && 'folder' in run ? [...touchedBy, `tests/extended/${run.folder}/**`] : touchedBy,
    ),
  )
}

/** Returns a file's code without what changes nothing: comments, layout, types and local names; other files as they are. */
async function essenceOf(path: string, content: string): Promise<string> {
  if (path.endsWith('.css')) return content.replace(/\/\*.*?\*\//gs, '').replace(/\s+/g, ' ')
  if (!/\.(?:m?js|tsx?)$/.test(path)) return content
  const { code } = await transformWithOxc(content, path, { sourcemap: false })
  return minifySync(path, code, { compress: false }).code
}

/** Returns whether two versions of a file run alike: they differ in comments, layout, types and local names only. */
export async function runsAlike(path: string, before: string, after: string): Promise<boolean> {
  return (await essenceOf(path, before)) === (await essenceOf(path, after))
}

const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' })
const linesOf = (text: string) => text.split('\n').filter(Boolean)

/** Returns the paths that differ from a commit, but for files that run alike. @throws if this clone lacks the commit */
async function pathsChangedSince(commit: string): Promise<string[]> {
  const writtenPaths = linesOf(git('diff', '--name-only', '--no-renames', '--diff-filter=M', commit))
  const isUnlike = await Promise.all(
    writtenPaths.map(
      async (path) =>
        !(await runsAlike(path, git('show', `${commit}:${path}`), readFileSync(`${root}/${path}`, 'utf8'))),
    ),
  )
  return [
    ...writtenPaths.filter((_, index) => isUnlike[index]),
    ...linesOf(git('diff', '--name-only', '--no-renames', '--diff-filter=m', commit)),
    ...linesOf(git('ls-files', '--others', '--exclude-standard')),
  ]
}

/** Returns the folder or command of a part, or the name of its runner. */
export const keyOf = ({ run }: ExtendedPart): string =>
  typeof run === 'string' ? run : 'folder' in run ? run.folder : run.command

/**
 * Returns the parts whose files changed since the commit at which they passed.
 * @param base commit at which all parts had passed
 * @param passed lines with a later commit and the key of a part that passed there
 * @param changedSince returns the paths that differ from a commit
 */
export async function partsNotPassed(
  base: string,
  passed: string,
  changedSince: (commit: string) => Promise<string[]>,
): Promise<ExtendedPart[]> {
  const passedAt = new Map(linesOf(passed).map((line) => line.split(' ').reverse() as [string, string]))
  const commitOf = (part: ExtendedPart) => passedAt.get(keyOf(part)) ?? base
  const commits = [...new Set(EXTENDED_PARTS.map(commitOf))]
  const touchedPartsByCommit = new Map(
    await Promise.all(commits.map(async (commit) => [commit, partsFor(await changedSince(commit))] as const)),
  )
  return EXTENDED_PARTS.filter((part) => touchedPartsByCommit.get(commitOf(part))?.includes(part))
}

/** Returns the parts that have to be checked; all parts if git lacks a commit. */
export async function touchedParts(): Promise<ExtendedPart[]> {
  const read = (path: string) => readFileSync(`${root}/${path}`, 'utf8').trim()
  try {
    return await partsNotPassed(read(BASE_FILE), read(PASSED_FILE), pathsChangedSince)
  } catch {
    return EXTENDED_PARTS
  }
}
