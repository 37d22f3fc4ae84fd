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
  createFolderDurably,
  errorCode,
  hashFile,
  syncFolder,
  writeFileAtomically,
} from '#app/core/process/durable-files.server.ts'
import { HOUR_MS } from '#app/core/time/durations.ts'
import {
  assertObjectName,
  ObjectExistsError,
  type ObjectMetadata,
  type ObjectStorage,
  type StoredObject,
} from './object-store.server.ts'

/** Metadata of an object, kept in a file outside the bucket's folder. */
interface StoredMetadata extends ObjectMetadata {
  sha256: string
}

const MAX_TEMP_FILE_AGE_MS = HOUR_MS
const UNKNOWN_METADATA: ObjectMetadata = { contentType: 'application/octet-stream', cacheControlSeconds: 0 }

/**
 * Opens a storage of plain files. An object is the file `<dataDir>/objects/<bucket>/<path>`, and a bucket's folder has no other
 * files. Metadata is in `<dataDir>/objects/.meta`, temporary files are in `.tmp`. An object appears complete by link(2), which
 * also refuses a path that is taken, even by a concurrent writer. On a file system without links see `moveInto`.
 * @param isReadOnly true if the folder may be read-only, so that opening writes nothing
 */
export async function openFolderStorage(dataDir: string, { isReadOnly = false } = {}): Promise<ObjectStorage> {
  const root = join(dataDir, 'objects')
  const tempFolder = join(root, '.tmp')
  if (!isReadOnly) {
    await createFolderDurably(root)
    await createFolderDurably(tempFolder)
    await removeOldTempFiles()
  }
  /** Removes files that killed processes left. Recent files stay, since another process may be writing them. */
  async function removeOldTempFiles() {
    for (const name of await readdir(tempFolder)) {
      const fileStat = await stat(join(tempFolder, name)).catch(() => undefined)
      if (fileStat && Date.now() - fileStat.mtimeMs > MAX_TEMP_FILE_AGE_MS)
        await rm(join(tempFolder, name), { force: true })
    }
  }

  const fileOf = (bucket: string, path: string) => {
    assertObjectName(bucket, path)
    return join(root, bucket, ...path.split('/'))
  }
  const metadataFileOf = (bucket: string, path: string) => {
    const name = createHash('sha256').update(path).digest('hex')
    return join(root, '.meta', bucket, name.slice(0, 2), `${name}.json`)
  }

  async function writeMetadata(bucket: string, path: string, metadata: StoredMetadata) {
    const file = metadataFileOf(bucket, path)
    await createFolderDurably(dirname(file))
    await writeFileAtomically(file, JSON.stringify(metadata))
  }

  async function readMetadata(bucket: string, path: string): Promise<StoredMetadata | undefined> {
    try {
      return JSON.parse(await readFile(metadataFileOf(bucket, path), 'utf8')) as StoredMetadata
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined
      throw error
    }
  }

  async function placeObject(source: string, bucket: string, path: string, metadata: StoredMetadata): Promise<void> {
    const target = fileOf(bucket, path)
    try {
      await linkInto(source, target)
    } catch (error) {
      if (errorCode(error) !== 'EEXIST' && errorCode(error) !== 'EISDIR') throw error
      // A process that was killed after it had placed the object left no metadata. Storing the same bytes again adds it.
      if (
        (await isFile(target)) &&
        (await readMetadata(bucket, path)) === undefined &&
        (await hashFile(target)) === metadata.sha256
      )
        await writeMetadata(bucket, path, metadata)
      throw new ObjectExistsError(`${bucket}/${path}`)
    }
    await syncFolder(dirname(target))
    await writeMetadata(bucket, path, metadata)
  }

  /** Links a file to the target or, where no link is possible, copies it. */
  async function linkInto(source: string, target: string): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      await createFolderDurably(dirname(target))
      try {
        return await link(source, target)
      } catch (error) {
        // The folder vanishes if its last object is removed at the same moment.
        if (errorCode(error) === 'ENOENT' && attempt < 5 && (await isFile(source))) continue
        if (!isLinkImpossible(error)) throw error
        return await withTempPath(async (tempPath) => {
          await copyFile(source, tempPath, constants.COPYFILE_FICLONE)
          await syncFile(tempPath)
          await link(tempPath, target).catch((linkError: unknown) => {
            if (!isLinkImpossible(linkError)) throw linkError
            return moveInto(tempPath, target)
          })
        })
      }
    }
  }

  /**
   * Stores a file on a file system without links, such as FAT. An empty file first claims the path, and is then replaced. A
   * reader may see the empty file in between.
   */
  async function moveInto(tempPath: string, target: string): Promise<void> {
    await (await open(target, 'wx', 0o600)).close()
    try {
      await rename(tempPath, target)
    } catch (error) {
      await unlink(target).catch(() => {})
      throw error
    }
  }

  async function withTempPath<T>(work: (tempPath: string) => Promise<T>): Promise<T> {
    const tempPath = join(tempFolder, randomUUID())
    try {
      return await work(tempPath)
    } finally {
      await unlink(tempPath).catch(() => {})
    }
  }

  async function* walk(folder: string, path: string, prefix: string): AsyncGenerator<string> {
    const entries = await readdir(folder, { withFileTypes: true }).catch((error) => {
      if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return []
      throw error
    })
    const keyedEntries = entries
      .map((entry) => ({ entry, key: `${path}${entry.name}${entry.isDirectory() ? '/' : ''}` }))
      .sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)))
    for (const { entry, key } of keyedEntries) {
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
      await withTempPath(async (tempPath) => {
        await writeFile(tempPath, body, { flag: 'wx', mode: 0o600 })
        await syncFile(tempPath)
        await placeObject(tempPath, bucket, path, { contentType, cacheControlSeconds, sha256 })
      })
    },

    async head(bucket, path): Promise<StoredObject | undefined> {
      const file = fileOf(bucket, path)
      if (!(await isFile(file))) return undefined
      const { size } = await stat(file)
      const metadata = (await readMetadata(bucket, path)) ?? { ...UNKNOWN_METADATA, sha256: await hashFile(file) }
      return { ...metadata, size }
    },

    async get(bucket, path, range) {
      const file = fileOf(bucket, path)
      // The file is opened before the stream is returned, so that a removal does not cut the reading short.
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
      await unlink(metadataFileOf(bucket, path)).catch(() => {})
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
      const fileStat = await stat(fileOf(bucket, path)).catch(() => undefined)
      return fileStat?.isFile() ? fileStat.mtime : undefined
    },

    async check() {
      await access(root, constants.W_OK)
      await withTempPath(async (tempPath) => {
        await writeFile(tempPath, 'ok', { flag: 'wx' })
        await rename(tempPath, `${tempPath}.ok`)
        await unlink(`${tempPath}.ok`)
      })
    },
  }
}

/** Returns whether an error says that a link is impossible, for example to another disk. */
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
    (fileStat) => fileStat.isFile(),
    () => false,
  )

async function nearestFolder(folder: string): Promise<string> {
  for (let current = folder; ; current = dirname(current)) if (await isFolder(current)) return current
}

const isFolder = (folder: string) =>
  stat(folder).then(
    (folderStat) => folderStat.isDirectory(),
    () => false,
  )
