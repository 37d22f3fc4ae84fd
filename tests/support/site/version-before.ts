import { execFile, execFileSync } from 'node:child_process'
import { cp, mkdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../../../scripts/prepare.mjs'

const run = promisify(execFile)

/** Returns the commit of the previous version, which .ci/base names; undefined in a clone without that commit. */
export async function findPreviousCommit(): Promise<string | undefined> {
  const commit = (await readFile(join(root, '.ci/base'), 'utf8')).trim()
  return run('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root }).then(
    () => commit,
    () => undefined,
  )
}

/** Exports a commit into an empty folder, with its packages, so that it can be built and started there. */
export async function exportCommit(commit: string, folder: string): Promise<void> {
  execFileSync('sh', ['-c', 'git archive "$1" | tar -x -C "$2"', 'sh', commit, folder], { cwd: root })
  const [commitLock, ownLock] = await Promise.all(
    [folder, root].map((tree) => readFile(join(tree, 'package-lock.json'), 'utf8')),
  )
  if (commitLock === ownLock) await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  else await run('npm', ['ci', '--ignore-scripts'], { cwd: folder })
  // File names of pictures and fonts contain a hash of their content, so that this version's files can be reused.
  await mkdir(join(folder, '.cache'))
  for (const folderName of ['images', 'fonts'])
    await cp(join(root, '.cache', folderName), join(folder, '.cache', folderName), { recursive: true })
}
