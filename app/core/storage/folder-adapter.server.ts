import { createHash, randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import {
  access,
  copyFile,
  link,
  open,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
  unlink,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  errorCode,
  hashFile,
  makeFolder,
  syncFolder,
  writeFileAtomically,
} from '#app/core/process/durable-files.server.ts'
import {
  assertObjectName,
  ObjectExistsError,
  type ObjectMetadata,
  type ObjectStorage,
  type StoredObject,
} from './object-store.server.ts'

/** A card is the metadata of an object, kept outside the bucket's folder. */
interface ObjectCard extends ObjectMetadata {
  sha256: string
}

const DRAFT_LIFE_MS = 3_600_000
const UNKNOWN_METADATA: ObjectMetadata = { contentType: 'application/octet-stream', cacheControlSeconds: 0 }

/**
 * Opens objects as plain files under `<dataDir>/objects/<bucket>/<path>`: a bucket's folder holds its objects and nothing else.
 * Metadata lies in `<dataDir>/objects/.meta`, drafts in `.tmp`. An object appears whole, by link(2), which also refuses a path
 * that is taken, even among concurrent writers.
 * @param isReadOnly nothing is written on opening, so that the folder may be read-only
 */
export async function openFolderStorage(dataDir: string, { isReadOnly = false } = {}): Promise<ObjectStorage> {
  const root = join(dataDir, 'objects')
  const drafts = join(root, '.tmp')
  if (!isReadOnly) {
    await makeFolder(root)
    await makeFolder(drafts)
    await clearDrafts()
  }
  // Drafts of killed processes are removed. Young drafts stay, since a command beside the running site may be writing them.
  async function clearDrafts() {
    for (const name of await readdir(drafts)) {
      const draft = await stat(join(drafts, name)).catch(() => undefined)
      if (draft && Date.now() - draft.mtimeMs > DRAFT_LIFE_MS) await rm(join(drafts, name), { force: true })
    }
  }

  const fileOf = (bucket: string, path: string) => {
    assertObjectName(bucket, path)
    return join(root, bucket, ...path.split('/'))
  }
  const cardOf = (bucket: string, path: string) => {
    const name = createHash('sha256').update(path).digest('hex')
    return join(root, '.meta', bucket, name.slice(0, 2), `${name}.json`)
  }

  async function writeCard(bucket: string, path: string, card: ObjectCard) {
    const file = cardOf(bucket, path)
    await makeFolder(dirname(file))
    await writeFileAtomically(file, JSON.stringify(card))
  }

  async function readCard(bucket: string, path: string): Promise<ObjectCard | undefined> {
    try {
      return JSON.parse(await readFile(cardOf(bucket, path), 'utf8')) as ObjectCard
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined
      throw error
    }
  }

  async function placeObject(source: string, bucket: string, path: string, card: ObjectCard): Promise<void> {
    const target = fileOf(bucket, path)
    try {
      await linkInto(source, target)
    } catch (error) {
      if (errorCode(error) !== 'EEXIST' && errorCode(error) !== 'EISDIR') throw error
      // A process killed between the object and its card left the object without one: the same bytes complete it.
      if (
        (await isFile(target)) &&
        (await readCard(bucket, path)) === undefined &&
        (await hashFile(target)) === card.sha256
      )
        await writeCard(bucket, path, card)
      throw new ObjectExistsError(`${bucket}/${path}`)
    }
    await syncFolder(dirname(target))
    await writeCard(bucket, path, card)
  }

  /** Links a file of the same disk; copies the bytes of a file of another disk. */
  async function linkInto(source: string, target: string): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      await makeFolder(dirname(target))
      try {
        return await link(source, target)
      } catch (error) {
        // The folder may vanish before the link is made, when its last other object is removed at that moment.
        if (errorCode(error) === 'ENOENT' && attempt < 5 && (await isFile(source))) continue
        if (!isLinkImpossible(error)) throw error
        return await withDraft(async (draft) => {
          await copyFile(source, draft, constants.COPYFILE_FICLONE)
          await syncFile(draft)
          await link(draft, target).catch((linkError: unknown) => {
            if (!isLinkImpossible(linkError)) throw linkError
            return moveInto(draft, target)
          })
        })
      }
    }
  }

  /**
   * Stores a file where the file system has no links, such as FAT: an empty file takes the path, and is replaced whole. A reader
   * may see the empty file in between.
   */
  async function moveInto(draft: string, target: string): Promise<void> {
    await (await open(target, 'wx', 0o600)).close()
    try {
      await rename(draft, target)
    } catch (error) {
      await unlink(target).catch(() => {})
      throw error
    }
  }

  async function withDraft<T>(work: (draft: string) => Promise<T>): Promise<T> {
    const draft = join(drafts, randomUUID())
    try {
      return await work(draft)
    } finally {
      await unlink(draft).catch(() => {})
    }
  }

  async function* walk(folder: string, path: string, prefix: string): AsyncGenerator<string> {
    const entries = await readdir(folder, { withFileTypes: true }).catch((error) => {
      if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return []
      throw error
    })
    const keys = entries
      .map((entry) => ({ entry, key: `${path}${entry.name}${entry.isDirectory() ? '/' : ''}` }))
      .sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)))
    for (const { entry, key } of keys) {
      if (entry.isDirectory()) {
        if (key.startsWith(prefix) || prefix.startsWith(key)) yield* walk(join(folder, entry.name), key, prefix)
      } else if (key.startsWith(prefix)) yield key
    }
  }

  return {
    async putFile(bucket, path, file, { contentType, cacheControlSeconds, sha256 }) {
      await syncFile(file)
      await placeObject(file, bucket, path, { contentType, cacheControlSeconds, sha256 })
    },

    async putBytes(bucket, path, body, { contentType, cacheControlSeconds }) {
      const sha256 = createHash('sha256').update(body).digest('hex')
      await withDraft(async (draft) => {
        await writeFile(draft, body, { flag: 'wx', mode: 0o600 })
        await syncFile(draft)
        await placeObject(draft, bucket, path, { contentType, cacheControlSeconds, sha256 })
      })
    },

    async head(bucket, path): Promise<StoredObject | undefined> {
      const file = fileOf(bucket, path)
      if (!(await isFile(file))) return undefined
      const { size } = await stat(file)
      const card = (await readCard(bucket, path)) ?? { ...UNKNOWN_METADATA, sha256: await hashFile(file) }
      return { ...card, size }
    },

    async get(bucket, path, range) {
      const file = fileOf(bucket, path)
      // The file is opened before the stream is handed over, so that a removal meanwhile does not cut the reading short.
      const handle = await open(file, 'r').catch((error) => {
        if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined
        throw error
      })
      if (handle === undefined) return undefined
      if (!(await handle.stat()).isFile()) {
        await handle.close()
        return undefined
      }
      return handle.createReadStream(range ?? {})
    },

    list(bucket, prefix) {
      assertObjectName(bucket, 'x')
      return walk(join(root, bucket), '', prefix)
    },

    async remove(bucket, path) {
      const target = fileOf(bucket, path)
      await unlink(target).catch((error) => {
        if (!['ENOENT', 'ENOTDIR', 'EISDIR', 'EPERM'].includes(errorCode(error) ?? '')) throw error
      })
      if (await isFile(target)) throw new Error(`Could not remove ${bucket}/${path}`)
      await unlink(cardOf(bucket, path)).catch(() => {})
      // A folder without objects is removed, too.
      for (let folder = dirname(target); folder.length > join(root, bucket).length; folder = dirname(folder)) {
        const isRemoved = await rmdir(folder).then(
          () => true,
          () => false,
        )
        if (!isRemoved) break
      }
      await syncFolder(await nearestFolder(dirname(target)))
    },

    async modifiedAt(bucket, path) {
      const found = await stat(fileOf(bucket, path)).catch(() => undefined)
      return found?.isFile() ? found.mtime : undefined
    },

    async check() {
      await access(root, constants.W_OK)
      await withDraft(async (draft) => {
        await writeFile(draft, 'ok', { flag: 'wx' })
        await rename(draft, `${draft}.ok`)
        await unlink(`${draft}.ok`)
      })
    },
  }
}

/** Returns whether a link is impossible: another disk, or a file system without links. */
const isLinkImpossible = (error: unknown) =>
  ['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(errorCode(error) ?? '')

async function syncFile(file: string): Promise<void> {
  // Windows syncs only files that are open for writing.
  const handle = await open(file, process.platform === 'win32' ? 'r+' : 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const isFile = (file: string) =>
  stat(file).then(
    (found) => found.isFile(),
    () => false,
  )

async function nearestFolder(folder: string): Promise<string> {
  for (let at = folder; ; at = dirname(at)) if (await isFolder(at)) return at
}

const isFolder = (folder: string) =>
  stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  )
