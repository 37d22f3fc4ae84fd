import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from './durable-files.server.ts'

/** Runs work with a folder of its own within `within`, which is gone afterwards. */
export async function withTemporal<Done>(within: string, work: (folder: string) => Promise<Done>): Promise<Done> {
  await makeFolder(within)
  const folder = await mkdtemp(join(within, '.certamen-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
