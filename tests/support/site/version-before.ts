import { execFile, execFileSync } from 'node:child_process'
import { cp, mkdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../../../scripts/prepare.mjs'

const run = promisify(execFile)

/** Returns the previous version: the commit of .ci/base, which has landed; undefined in a clone without that commit. */
export async function findPreviousCommit(): Promise<string | undefined> {
  const commit = (await readFile(join(root, '.ci/base'), 'utf8')).trim()
  return run('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root }).then(
    () => commit,
    () => undefined,
  )
}

/** Lays an earlier commit out in an empty folder, with its packages, so that it can be built and started there. */
export async function exportCommit(commit: string, folder: string): Promise<void> {
  execFileSync('sh', ['-c', 'git archive "$1" | tar -x -C "$2"', 'sh', commit, folder], { cwd: root })
  const [its, ours] = await Promise.all([folder, root].map((tree) => readFile(join(tree, 'package-lock.json'), 'utf8')))
  if (its === ours) await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  else await run('npm', ['ci', '--ignore-scripts'], { cwd: folder })
  // Pictures and fonts are named by their content, so the ones of this version serve there too.
  await mkdir(join(folder, '.cache'))
  for (const made of ['images', 'fonts'])
    await cp(join(root, '.cache', made), join(folder, '.cache', made), { recursive: true })
}
