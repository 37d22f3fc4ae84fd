import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { prepareRunFolder } from './run-folder.ts'

test.runIf(existsSync('/proc/self/cwd'))(
  'failed updates leave the serving version its run folder and its assets',
  async () => {
    const work = await mkdtemp(join(tmpdir(), 'lugar-'))
    const dataDir = join(work, 'datos')
    const buildIdOf = (name: string) => createHash('sha256').update(name).digest('hex')
    const start = async (name: string) => {
      const folder = join(work, name)
      for (const path of ['.cache/images', 'build/client/assets']) await mkdir(join(folder, path), { recursive: true })
      await writeFile(join(folder, '.cache/images/manifest.json'), '{}')
      await writeFile(join(folder, 'build/stamp'), buildIdOf(name))
      return prepareRunFolder(folder, dataDir)
    }
    const servingFolder = await start('a')
    const serving = spawn('sleep', ['60'], { cwd: servingFolder })
    await once(serving, 'spawn')
    const failedFolders: string[] = []
    for (const name of ['b', 'c', 'd', 'e']) failedFolders.push(await start(name))
    expect(existsSync(servingFolder)).toBe(true)
    expect(failedFolders.map((folder) => existsSync(folder))).toEqual([false, false, true, true])
    expect(await readdir(join(dataDir, 'lugar/build/anteriores'))).toContain(buildIdOf('a').slice(0, 16))
    serving.kill()
    await once(serving, 'exit')
    await rm(work, { recursive: true })
  },
)
