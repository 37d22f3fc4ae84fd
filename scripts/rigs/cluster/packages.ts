import { spawnSync } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { layOut } from '#tests/support/site/version-before.ts'
import { root } from '../../prepare.mjs'
import { expect } from '../smoke-test.ts'

function run(program: string, args: readonly string[], cwd: string): string {
  const done = spawnSync(program, args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 26, timeout: 900_000 })
  expect(done.status === 0, `${program} ${args.join(' ')}: ${done.stderr}${done.stdout}${done.error ?? ''}`)
  return done.stdout
}

/** Packs this project as it is, and opens the package. @returns the folder to run it from */
export async function openPackage(work: string, project = root, name = 'paquete'): Promise<string> {
  const args = ['--disable-warning=ExperimentalWarning', 'scripts/empaquetar.ts', '--sin-fotos', '--json', '--a', work]
  const { archivo } = JSON.parse(run(process.execPath, args, project)) as { archivo: string }
  const folder = join(work, name)
  await mkdir(folder)
  run('tar', ['-xzf', archivo, '-C', folder, '--strip-components=1'], work)
  return folder
}

/** Packs an earlier commit, and opens the package. @returns undefined without a commit */
export async function openPackageOfCommit(work: string, commit: string | undefined): Promise<string | undefined> {
  if (commit === undefined) return undefined
  const project = join(work, 'anterior')
  await mkdir(project)
  await layOut(commit, project)
  return openPackage(work, project, 'paquete-anterior')
}
