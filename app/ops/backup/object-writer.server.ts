import { createHash } from 'node:crypto'
import type { BackedUpObject } from '#app/core/storage/backed-up-object.server.ts'
import type { ObjectStorage } from '#app/core/storage/object-store.server.ts'
import { OBJECTS_BUCKET } from './prune.server.ts'
import { type BackupStore, SumMismatchError } from './store.server.ts'

/** Number of nights within which every stored object is read in full once. */
const RECHECK_NIGHTS = 28
const DAY_MS = 86_400_000

/** Name of an object by its content, so that equal bytes are stored once. In an encrypted backup the name is a keyed hash. */
export const nameOf = ({ cipher }: BackupStore, sha256: string) => {
  const name = cipher ? `${cipher.nameOf(sha256)}.age` : sha256
  return `${name.slice(0, 2)}/${name}`
}

/** Writes objects to the destination, each once, and checks that the objects already there are intact. */
export async function openObjectWriter(origin: ObjectStorage, store: BackupStore, recheck: boolean) {
  const there = new Set<string>()
  for await (const path of store.storage.list(OBJECTS_BUCKET, '')) there.add(path)
  const accounts = { nuevos: 0, repuestos: 0, escritos: 0 }
  const sure = new Map<string, number>()
  const busy = new Map<string, Promise<unknown>>()
  const night = Math.floor(Date.now() / DAY_MS)
  const isTurn = (name: string) =>
    recheck || Number.parseInt(name.slice(3, 9), 16) % RECHECK_NIGHTS === night % RECHECK_NIGHTS

  /** @returns stored bytes; 0 when the site's object is missing, or differs from the received one */
  async function keep(
    name: string,
    { bucket, path }: BackedUpObject,
    { size, sha256 }: ReceivedObject,
  ): Promise<number> {
    const known = sure.get(name)
    if (known !== undefined) return known
    if (there.has(name)) {
      const stored = (await store.storage.head(OBJECTS_BUCKET, name))?.size
      const isSize = stored === store.storedSizeOf(size)
      if (isSize && !isTurn(name)) return stored
      const isGood = (await sumOf(store, name)) === sha256
      if (isGood && isSize) sure.set(name, stored)
      if (isGood) return isSize ? stored : 0
    }
    const body = await origin.get(bucket, path)
    const replaces = there.has(name)
    const kept = body && (await store.write(OBJECTS_BUCKET, name, body, { sha256, replaces }).catch(unlessForeign))
    if (!kept) return 0
    sure.set(name, kept.bytes)
    accounts[replaces ? 'repuestos' : 'nuevos']++
    accounts.escritos += kept.bytes
    return kept.bytes
  }

  return {
    cuentas: accounts,
    /** Keyed mutex: calls with the same name run one at a time. */
    async take(name: string, object: BackedUpObject, received: ReceivedObject): Promise<number> {
      const turn = Promise.resolve(busy.get(name)).then(() => keep(name, object, received))
      busy.set(
        name,
        turn.catch(() => {}),
      )
      return turn
    },
  }
}

/** Size of an object in the site's storage, and its checksum when it was received. */
interface ReceivedObject {
  size: number
  sha256: string
}

function unlessForeign(error: unknown): undefined {
  if (!(error instanceof SumMismatchError)) throw error
}

async function sumOf(store: BackupStore, name: string): Promise<string | undefined> {
  try {
    const hash = createHash('sha256')
    for await (const chunk of await store.read(OBJECTS_BUCKET, name)) hash.update(chunk)
    return hash.digest('hex')
  } catch {
    // An unreadable object counts as damaged; sending it again shows whether the destination can be reached.
    return undefined
  }
}
