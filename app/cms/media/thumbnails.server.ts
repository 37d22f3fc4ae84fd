import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { createKeyedQueue } from '#app/core/concurrency/limiter.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { runInSandbox, sandboxQueue } from '#app/core/process/sandbox.server.ts'
import { openFile } from './file-store.server.ts'

/** Thumbnails of unpublished pictures, for the editor. */

const SANITIZE_PROCESS = 'app/cms/file-sanitizing/sanitize-file.process.ts'
/** A requested width is rounded up to one of these pixels; beyond them, it becomes the largest. */
const WIDTHS = [160, 320, 480, 960, 1_600]

const folderOf = ({ settings }: Pick<Services, 'settings'>) => join(settings.dataDir, 'miniaturas')
const keyedQueue = createKeyedQueue()

/**
 * Opens a thumbnail of the edition's JPEG or PNG, which is made once and kept in the data folder.
 * @param requestedWidth pixels
 * @returns undefined if the storage has no such file, or the file cannot be scaled down
 */
export async function openThumbnail(
  services: Pick<Services, 'settings' | 'storage'>,
  sha256: string,
  requestedWidth: number,
): Promise<{ body: Readable; bytes: number } | undefined> {
  const width = WIDTHS.find((one) => one >= requestedWidth) ?? WIDTHS.at(-1)!
  const file = join(folderOf(services), `${sha256}-${width}`)
  const byteCount = await keyedQueue(
    file,
    async () => (await fileSizeOf(file)) ?? (await makeThumbnail(services, sha256, width, file)),
  )
  return byteCount === undefined ? undefined : { body: createReadStream(file), bytes: byteCount }
}

const fileSizeOf = (file: string) =>
  stat(file).then(
    ({ size }) => size,
    () => undefined,
  )

async function makeThumbnail(
  services: Pick<Services, 'settings' | 'storage'>,
  sha256: string,
  width: number,
  file: string,
): Promise<number | undefined> {
  const body = await openFile(services.storage, sha256)
  if (!body) return undefined
  const { output, outcome } = await sandboxQueue('panel', '', () =>
    runInSandbox(SANITIZE_PROCESS, body, ['vista', String(width)]),
  )
  if (outcome !== 'done') return undefined
  await mkdir(folderOf(services), { recursive: true, mode: 0o700 })
  const part = `${file}.${randomUUID()}.parte`
  await writeFile(part, output, { mode: 0o600 })
  await rename(part, file)
  return output.length
}

/** Deletes every thumbnail of a file. */
export async function forgetThumbnails(services: Pick<Services, 'settings'>, sha256: string): Promise<void> {
  const folder = folderOf(services)
  const names = await readdir(folder).catch(() => [])
  for (const name of names) if (name.startsWith(sha256)) await rm(join(folder, name), { force: true })
}
