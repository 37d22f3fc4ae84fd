import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** A copy of content/ under a folder for a test that changes what is written there: its pictures and other files are empty. */
export async function copyWritten(root: string): Promise<void> {
  const entries = await readdir('content', { recursive: true, withFileTypes: true })
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name)
    await mkdir(dirname(join(root, path)), { recursive: true })
    if (path.endsWith('.yaml')) await copyFile(path, join(root, path))
    else await writeFile(join(root, path), '')
  }
}
