import { hashStream } from '#app/core/process/durable-files.server.ts'
import { OBJECTS } from '#app/core/storage/age-encryption.server.ts'
import type { ObjectStorage } from '#app/core/storage/object-store.server.ts'
import { DAY_MS } from '#app/core/time/durations.ts'
import { type BackupStore, SumMismatchError } from './store.server.ts'

/** Every stored object is read in full once within this many nights. */
const RECHECK_NIGHTS = 28

/** Names an object by its content, so that equal bytes are stored once. In an encrypted backup the name is a keyed hash. */
export const nameOf = ({ cipher }: BackupStore, sha256: string) => {
  const name = cipher ? `${cipher.nameOf(sha256)}.age` : sha256
  return `${name.slice(0, 2)}/${name}`
}

export type ObjectWriter = Awaited<ReturnType<typeof openObjectWriter>>

/** Writes objects to the destination, each once, and checks that the objects already there are intact. */
export async function openObjectWriter(origin: ObjectStorage, store: BackupStore, recheck: boolean) {
  const existingNames = new Set<string>()
  for await (const path of store.storage.list(OBJECTS, '')) existingNames.add(path)
  const counts = { newCount: 0, rewrittenCount: 0, writtenBytes: 0 }
  const newNames: string[] = []
  const intactSizes = new Map<string, number>()
  const runningTakes = new Map<string, Promise<unknown>>()
  const night = Math.floor(Date.now() / DAY_MS)
  const isTurn = (name: string) =>
    recheck || Number.parseInt(name.slice(3, 9), 16) % RECHECK_NIGHTS === night % RECHECK_NIGHTS

  /**
   * Stores an object, unless it is there and intact.
   * @returns stored bytes; 0 when the site's object is missing, or differs from the received one
   */
  async function keep(name: string, { bucket, path, size, sha256 }: ReceivedObject): Promise<number> {
    const knownSize = intactSizes.get(name)
    if (knownSize !== undefined) return knownSize
    if (existingNames.has(name)) {
      const storedSize = (await store.storage.head(OBJECTS, name))?.size
      const isSize = storedSize === store.storedSizeOf(size)
      if (isSize && !isTurn(name)) return storedSize
      // An unreadable object counts as damaged; sending it again shows whether the destination can be reached.
      const isGood =
        (await store
          .read(OBJECTS, name)
          .then(hashStream)
          .catch(() => undefined)) === sha256
      if (isGood && isSize) intactSizes.set(name, storedSize)
      if (isGood) return isSize ? storedSize : 0
    }
    const body = await origin.get(bucket, path)
    const replaces = existingNames.has(name)
    const storedFile = body && (await store.write(OBJECTS, name, body, { sha256, replaces }).catch(unlessForeign))
    if (!storedFile) return 0
    intactSizes.set(name, storedFile.bytes)
    if (!replaces) newNames.push(name)
    counts[replaces ? 'rewrittenCount' : 'newCount']++
    counts.writtenBytes += storedFile.bytes
    return storedFile.bytes
  }

  return {
    counts,
    newNames: newNames as readonly string[],
    /** A keyed mutex takes objects with the same bytes one at a time. */
    async take(object: ReceivedObject): Promise<number> {
      const name = nameOf(store, object.sha256)
      const turn = Promise.resolve(runningTakes.get(name)).then(() => keep(name, object))
      runningTakes.set(
        name,
        turn.catch(() => {}),
      )
      return turn
    },
  }
}

/** A ReceivedObject is in the site's storage: it has its size there, and its checksum when it was received. */
interface ReceivedObject {
  bucket: string
  path: string
  size: number
  sha256: string
}

function unlessForeign(error: unknown): undefined {
  if (!(error instanceof SumMismatchError)) throw error
}
