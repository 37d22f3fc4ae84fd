import { spawnSync } from 'node:child_process'
import { cp, mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from '../paseo.ts'
import { root } from '../prepare.mjs'

function run(program: string, args: readonly string[], cwd: string): string {
  const done = spawnSync(program, args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 26, timeout: 900_000 })
  expect(done.status === 0, `${program} ${args.join(' ')}: ${done.stderr}${done.stdout}${done.error ?? ''}`)
  return done.stdout
}

/** Packs this project as it is, and opens the package. @returns the folder to run it from */
export async function openPaquete(work: string, project = root, name = 'paquete'): Promise<string> {
  const args = ['--disable-warning=ExperimentalWarning', 'scripts/empaquetar.ts', '--sin-fotos', '--json', '--a', work]
  const { archivo } = JSON.parse(run(process.execPath, args, project)) as { archivo: string }
  const folder = join(work, name)
  await mkdir(folder)
  run('tar', ['-xzf', archivo, '-C', folder, '--strip-components=1'], work)
  return folder
}

/** The oldest commit that may stand beside this one: since then what is under way belongs to no process (0037). */
export function masViejaQueConvive(): string | undefined {
  const args = ['log', '--diff-filter=A', '--format=%H', '--', 'docs/decisions/0037-*.md']
  return spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout?.trim().split('\n').at(-1) || undefined
}

/**
 * The same of an earlier commit, laid out aside; its packages are those installed here.
 * @returns undefined where this commit is not at hand
 */
export async function openPaqueteDe(work: string, commit: string | undefined): Promise<string | undefined> {
  if (commit === undefined || spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root }).status !== 0)
    return undefined
  const project = join(work, 'anterior')
  await mkdir(project)
  const archive = join(work, 'anterior.tar')
  run('git', ['archive', '-o', archive, commit], root)
  run('tar', ['-xf', archive, '-C', project], work)
  await symlink(join(root, 'node_modules'), join(project, 'node_modules'))
  // Pictures and faces are named by what they show: those that were made here are the same.
  await cp(join(root, '.cache/images'), join(project, '.cache/images'), { recursive: true })
  await cp(join(root, '.cache/fonts'), join(project, '.cache/fonts'), { recursive: true })
  return openPaquete(work, project, 'paquete-anterior')
}
