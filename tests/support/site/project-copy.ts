import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Copies the project without tests/, for a test that changes the copy.
 * @returns the copy's folder, which the test removes, and its files
 */
export async function copyProject(): Promise<{ folder: string; files: string[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'certamen-ensayo-'))
  const { stdout } = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'])
  const files = stdout.split('\0').filter((file) => file !== '' && !file.startsWith('tests/'))
  for (const file of files) {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await cp(file, join(folder, file), { preserveTimestamps: true })
  }
  await symlink(resolve('node_modules'), join(folder, 'node_modules'))
  return { folder, files }
}

/** Copies the project with its build, pictures and fonts. @returns the copy's folder */
export async function copyBuiltProject(): Promise<string> {
  const { folder } = await copyProject()
  for (const folderName of ['build', '.cache/images', '.cache/fonts'])
    await cp(folderName, join(folder, folderName), {
      recursive: true,
      preserveTimestamps: true,
      // An unfinished picture may be renamed in the middle of the copy.
      filter: (path) => !path.endsWith('.parte'),
    })
  return folder
}
