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

/** File with the id of the last checked commit; the changes since then have to be checked. */
const BASE_FILE = '.ci/base'

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

/** Returns the parts that the difference from the base commit requires; all parts if that difference is unknown. */
export async function touchedParts(): Promise<ExtendedPart[]> {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' })
  const linesOf = (output: string) => output.split('\n').filter(Boolean)
  try {
    const base = readFileSync(`${root}/${BASE_FILE}`, 'utf8').trim()
    const writtenPaths = linesOf(git('diff', '--name-only', '--no-renames', '--diff-filter=M', base))
    const isUnlike = await Promise.all(
      writtenPaths.map(
        async (path) =>
          !(await runsAlike(path, git('show', `${base}:${path}`), readFileSync(`${root}/${path}`, 'utf8'))),
      ),
    )
    return partsFor([
      ...writtenPaths.filter((_, index) => isUnlike[index]),
      ...linesOf(git('diff', '--name-only', '--no-renames', '--diff-filter=m', base)),
      ...linesOf(git('ls-files', '--others', '--exclude-standard')),
    ])
  } catch {
    return EXTENDED_PARTS
  }
}
