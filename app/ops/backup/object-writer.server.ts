import { hashStream } from '#app/core/process/durable-files.server.ts'
import { SHARED_OBJECT_BUCKET } from '#app/core/storage/age-encryption.server.ts'
import type { ObjectStorage } from '#app/core/storage/object-store.server.ts'
import { DAY_MS } from '#app/core/time/durations.ts'
import { type BackupStore, ChecksumMismatchError } from './store.server.ts'

/** A night's backup checks one in this many of its objects that are stored already. */
const RECHECK_NIGHTS = 28

/**
 * Returns an object's name at the destination. It is a hash of the content, keyed in encrypted backups, so that equal bytes are
 * stored once.
 */
export const storedNameOf = ({ cipher }: BackupStore, sha256: string) => {
  const name = cipher ? `${cipher.nameOf(sha256)}.age` : sha256
  return `${name.slice(0, 2)}/${name}`
}

export type ObjectWriter = Awaited<ReturnType<typeof openObjectWriter>>

/** Opens the writer of a backup's objects. It writes each object once, and checks existing objects that are due. */
export async function openObjectWriter(origin: ObjectStorage, store: BackupStore, isFullCheck: boolean) {
  const existingNames = new Set<string>()
  for await (const path of store.storage.list(SHARED_OBJECT_BUCKET, '')) existingNames.add(path)
  const counts = { newCount: 0, rewrittenCount: 0, writtenBytes: 0 }
  const newNames: string[] = []
  const intactSizes = new Map<string, number>()
  const pendingWrites = new Map<string, Promise<unknown>>()
  const dayNumber = Math.floor(Date.now() / DAY_MS)
  const isCheckDue = (name: string) =>
    isFullCheck || Number.parseInt(name.slice(3, 9), 16) % RECHECK_NIGHTS === dayNumber % RECHECK_NIGHTS

  /**
   * Stores an object unless it exists with the expected size and, if its check is due, the expected bytes.
   * @returns size of the stored bytes; 0 if the site's object is missing, or has other bytes, or more or fewer, than the site
   * received
   */
  async function storeUnlessIntact(name: string, { bucket, path, size, sha256 }: ReceivedObject): Promise<number> {
    const knownSize = intactSizes.get(name)
    if (knownSize !== undefined) return knownSize
    if (existingNames.has(name)) {
      const storedSize = (await store.storage.head(SHARED_OBJECT_BUCKET, name))?.size
      const hasExpectedSize = storedSize === store.storedSizeOf(size)
      if (hasExpectedSize && !isCheckDue(name)) return storedSize
      // An unreadable object counts as damaged, and is written again, which fails if the destination cannot be reached.
      const isIntact =
        (await store
          .read(SHARED_OBJECT_BUCKET, name)
          .then(hashStream)
          .catch(() => undefined)) === sha256
      if (isIntact && hasExpectedSize) intactSizes.set(name, storedSize)
      if (isIntact) return hasExpectedSize ? storedSize : 0
    }
    const body = await origin.get(bucket, path)
    const isReplacement = existingNames.has(name)
    const storedFile =
      body &&
      (await store
        .write(SHARED_OBJECT_BUCKET, name, body, { sha256, mayReplace: isReplacement })
        .catch(ignoreChecksumMismatch))
    if (!storedFile) return 0
    intactSizes.set(name, storedFile.bytes)
    if (!isReplacement) newNames.push(name)
    counts[isReplacement ? 'rewrittenCount' : 'newCount']++
    counts.writtenBytes += storedFile.bytes
    return storedFile.bytes
  }

  return {
    counts,
    newNames: newNames as readonly string[],
    /** Stores an object like `storeUnlessIntact`, and objects with the same bytes one at a time. */
    async store(object: ReceivedObject): Promise<number> {
      const name = storedNameOf(store, object.sha256)
      const write = Promise.resolve(pendingWrites.get(name)).then(() => storeUnlessIntact(name, object))
      pendingWrites.set(
        name,
        write.catch(() => {}),
      )
      return write
    },
  }
}

interface ReceivedObject {
  bucket: string
  path: string
  /** Size in the site's storage, in bytes. */
  size: number
  /** Checksum of the bytes as they were received. */
  sha256: string
}

function ignoreChecksumMismatch(error: unknown): undefined {
  if (!(error instanceof ChecksumMismatchError)) throw error
}
