import { createReadStream } from 'node:fs'
import { readdir, readFile, rm, rmdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { createKeyedQueue } from '#app/core/concurrency/limiter.server.ts'
import { asRefusalError } from '#app/core/http/refusal.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { errorCode } from '#app/core/process/durable-files.server.ts'
import { isUuid } from '#app/core/text/uuid.ts'

/**
 * After this long without writes, the previous version has finished with a folder. During an upgrade it answers for up to a
 * minute beside this version, and keeps the uploads that it has in hand.
 */
const QUIET_MS = 3 * 60_000

/** The previous version wrote this card beside each file; the fields of the upload's area stand in it, too. */
interface Card {
  id: string
  filename: string
  size: number | null
  createdAt: number
  siteCreatedAt: number
  sealed: object | null
}

/** The uploads of the previous version go through these functions. */
interface Destination {
  /** The previous version's folder holds `<key>/<id>.bin` and its card `<id>.json`. */
  folder: string
  /** Inserts the row, if there is none. @returns bytes stored so far; undefined when the row has been removed again */
  write(key: string, uploadCard: Card): Promise<number | undefined>
  append(id: string, body: Readable, offset: number): Promise<number>
  /** Takes over the hash and type of a complete file. */
  seal(id: string, sealed: object): Promise<void>
  log: Services['log']
}

/** The previous version left these uploads in a folder of this machine; they become rows and chunks. */
export interface LegacyStaging {
  /** Takes over a submission's uploads at once: a browser that asks here sends nothing more to the previous version. */
  takeOverKey(key: string): Promise<void>
  /** Takes over every folder without writes for some minutes. */
  takeOverAll(): Promise<void>
}

export async function openLegacyStaging({ folder, write, append, seal, log }: Destination): Promise<LegacyStaging> {
  const inOrder = createKeyedQueue()
  let isFolderGone = !(await stat(folder).catch(() => undefined))

  const namesIn = (path: string) =>
    readdir(path).catch((error) => {
      if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined
      throw error
    })

  async function takeOverUpload(key: string, id: string): Promise<void> {
    const [bin, card] = [join(folder, key, `${id}.bin`), join(folder, key, `${id}.json`)]
    const uploadCard = await readFile(card, 'utf8').then(
      (text) => JSON.parse(text) as Card,
      () => undefined,
    )
    // A file without a card belongs to no upload; a form sent without JavaScript ended with its process.
    if (uploadCard && uploadCard.size !== null) {
      const storedBytes = await write(key, uploadCard)
      const { size } = await stat(bin)
      try {
        if (storedBytes !== undefined && storedBytes < size)
          await append(id, createReadStream(bin, { start: storedBytes }), storedBytes)
        if (storedBytes !== undefined && uploadCard.sealed) await seal(id, uploadCard.sealed)
      } catch (error) {
        // If another request has continued or removed the upload meanwhile, that request counts. A limit is no reason to lose the
        // file.
        if (!['subidaDesfasada', 'subidaAjena'].includes(asRefusalError(error)?.reason ?? '')) throw error
      }
    }
    await rm(card, { force: true })
    await rm(bin, { force: true })
  }

  const takeOverKey = (key: string) =>
    inOrder(key, async () => {
      const names = await namesIn(join(folder, key))
      if (names === undefined) return
      const ids = new Set(names.map((name) => name.replace(/\.\w+$/, '')).filter(isUuid))
      for (const id of ids) await takeOverUpload(key, id)
      await rm(join(folder, key), { recursive: true, force: true })
      log.info({ uploads: ids.size }, 'uploads of the version before were taken over')
    })

  async function isQuiet(key: string): Promise<boolean> {
    const times = await Promise.all(
      ((await namesIn(join(folder, key))) ?? []).map((name) =>
        stat(join(folder, key, name)).then(
          ({ mtimeMs }) => mtimeMs,
          () => 0,
        ),
      ),
    )
    return times.every((time) => Date.now() - time > QUIET_MS)
  }

  return {
    async takeOverKey(key) {
      if (isFolderGone) return
      if (await stat(join(folder, key)).catch(() => undefined)) await takeOverKey(key)
    },

    async takeOverAll() {
      if (isFolderGone) return
      const names = await namesIn(folder)
      for (const key of names ?? []) if (/^[0-9a-f]{64}$/.test(key) && (await isQuiet(key))) await takeOverKey(key)
      // As long as the folder is not empty, the next call tries again.
      isFolderGone = await rmdir(folder).then(
        () => true,
        (error) => errorCode(error) === 'ENOENT',
      )
      if (isFolderGone) await rm(`${folder}.id`, { force: true })
    },
  }
}
