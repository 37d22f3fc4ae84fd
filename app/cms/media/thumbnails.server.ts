import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { createKeyedQueue, OverloadedError } from '#app/core/concurrency/limiter.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { runInSandbox, sandboxQueue } from '#app/core/process/sandbox.server.ts'
import { openEditionFile } from './file-store.server.ts'

const SANITIZE_PROCESS_PATH = 'app/cms/file-sanitizing/sanitize-file.process.ts'
/** Widths of thumbnails; a requested width is rounded up to one of them, or down to the largest. */
const THUMBNAIL_WIDTHS_PX = [160, 320, 480, 960, 1_600]

const thumbnailFolderOf = ({ settings }: Pick<Services, 'settings'>) => join(settings.dataDir, 'miniaturas')
const keyedQueue = createKeyedQueue()

/**
 * Opens a thumbnail of an edition's JPEG or PNG for the editor. Once made, it is kept in the data folder.
 * @param requestedWidth in pixels
 * @returns undefined if there is no such file (`openEditionFile`), or if it cannot be scaled down, as on a busy machine
 */
export async function openThumbnail(
  services: Pick<Services, 'settings' | 'storage'>,
  sha256: string,
  requestedWidth: number,
): Promise<{ body: Readable; bytes: number } | undefined> {
  const width =
    THUMBNAIL_WIDTHS_PX.find((availableWidth) => availableWidth >= requestedWidth) ?? THUMBNAIL_WIDTHS_PX.at(-1)!
  const file = join(thumbnailFolderOf(services), `${sha256}-${width}`)
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
  const result = await sandboxQueue('panel', '', async () => {
    const body = await openEditionFile(services.storage, sha256)
    return body && runInSandbox(SANITIZE_PROCESS_PATH, body, ['vista', String(width)])
  }).catch((error: unknown) => {
    if (error instanceof OverloadedError) return undefined
    throw error
  })
  if (result?.outcome !== 'done') return undefined
  await mkdir(thumbnailFolderOf(services), { recursive: true, mode: 0o700 })
  const partialFile = `${file}.${randomUUID()}.parte`
  await writeFile(partialFile, result.output, { mode: 0o600 })
  await rename(partialFile, file)
  return result.output.length
}

export async function deleteThumbnails(services: Pick<Services, 'settings'>, sha256: string): Promise<void> {
  const folder = thumbnailFolderOf(services)
  const names = await readdir(folder).catch(() => [])
  for (const name of names) if (name.startsWith(sha256)) await rm(join(folder, name), { force: true })
}
