import { createReadStream } from 'node:fs'
import { readdir, readFile, rm, rmdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { asRefusalError } from '#app/core/http/refusal.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { createKeyedQueue } from '#app/core/jobs/limiter.server.ts'
import { errorCode } from '#app/core/process/durable-files.server.ts'
import { isUuid } from '#app/core/text/uuid.ts'

/**
 * Who writes to a folder of the version before has written within this time. During an upgrade that version answers for
 * up to a minute beside this one, and what it has in hand stays its own.
 */
const QUIET_MS = 3 * 60_000

/** A card as the version before wrote it, beside the file; what its noun said of the file stands in it, too. */
interface Card {
  id: string
  filename: string
  size: number | null
  createdAt: number
  siteCreatedAt: number
  sealed: object | null
}

/** Where what is taken over goes. */
interface Destination {
  /** The folder of the version before: `<key>/<id>.bin` and its card `<id>.json`. */
  folder: string
  /** Writes the row down, if there is none. @returns how many bytes are there; undefined when it is gone again */
  write(key: string, uploadCard: Card): Promise<number | undefined>
  append(id: string, body: Readable, offset: number): Promise<number>
  /** Takes a sum and a type over, if the file is whole. */
  seal(id: string, sealed: object): Promise<void>
  log: Services['log']
}

/** What the version before left in a folder of this machine, taken over into rows and pieces. */
export interface Antes {
  /** What a submission has there, at once: whoever asks for it here sends nothing more to the version before. */
  ofKey(key: string): Promise<void>
  /** Everything that nobody has written to for some minutes. */
  all(): Promise<void>
}

export async function openAntes({ folder, write, append, seal, log }: Destination): Promise<Antes> {
  const inOrder = createKeyedQueue()
  let isGone = !(await stat(folder).catch(() => undefined))

  const namesIn = (path: string) =>
    readdir(path).catch((error) => {
      if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined
      throw error
    })

  async function one(key: string, id: string): Promise<void> {
    const [bin, card] = [join(folder, key, `${id}.bin`), join(folder, key, `${id}.json`)]
    const uploadCard = await readFile(card, 'utf8').then(
      (text) => JSON.parse(text) as Card,
      () => undefined,
    )
    // What has no card is nobody's; a form that was being sent without JavaScript ended with its process.
    if (uploadCard && uploadCard.size !== null) {
      const there = await write(key, uploadCard)
      const { size } = await stat(bin)
      try {
        if (there !== undefined && there < size) await append(id, createReadStream(bin, { start: there }), there)
        if (there !== undefined && uploadCard.sealed) await seal(id, uploadCard.sealed)
      } catch (error) {
        // Somebody went on with it meanwhile, or took it back: theirs counts. A limit is no reason to lose it.
        if (!['subidaDesfasada', 'subidaAjena'].includes(asRefusalError(error)?.reason ?? '')) throw error
      }
    }
    await rm(card, { force: true })
    await rm(bin, { force: true })
  }

  const ofKey = (key: string) =>
    inOrder(key, async () => {
      const names = await namesIn(join(folder, key))
      if (names === undefined) return
      const ids = new Set(names.map((name) => name.replace(/\.\w+$/, '')).filter(isUuid))
      for (const id of ids) await one(key, id)
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
    async ofKey(key) {
      if (isGone) return
      if (await stat(join(folder, key)).catch(() => undefined)) await ofKey(key)
    },

    async all() {
      if (isGone) return
      const names = await namesIn(folder)
      for (const key of names ?? []) if (/^[0-9a-f]{64}$/.test(key) && (await isQuiet(key))) await ofKey(key)
      // As long as something lies there, the next look takes it.
      isGone = await rmdir(folder).then(
        () => true,
        (error) => errorCode(error) === 'ENOENT',
      )
      if (isGone) await rm(`${folder}.id`, { force: true })
    },
  }
}
