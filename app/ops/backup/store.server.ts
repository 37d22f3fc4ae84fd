import { createHash, type Hash, randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { hashFile, hashStream } from '#app/core/process/durable-files.server.ts'
import { type BackupCipher, openCipher } from '#app/core/storage/age-encryption.server.ts'
import { ObjectExistsError, type ObjectStorage } from '#app/core/storage/object-store.server.ts'
import {
  assertDestination,
  folderOf,
  isS3,
  openDestination,
  openDestinationToRead,
} from '#app/core/storage/open-store.server.ts'
import { withTempFolder } from '#app/core/storage/temp-folders.server.ts'
import { BackupFault } from './fault.server.ts'
import { destinationName } from './identity.server.ts'

/** A destination of backups: a folder or a bucket. */
export interface BackupStore {
  /** Readable name of the destination, without secrets. */
  name: string
  storage: ObjectStorage
  /** Undefined if new files are not encrypted. */
  cipher: BackupCipher | undefined
  /** Folder for files that are being written. It is on the destination's disk if the destination is a folder. */
  scratchFolder: string
  /**
   * Stores bytes and reads them back. Without `mayReplace` an existing object stays, since the plain bytes at a path are always the
   * same.
   * @returns size and checksum of the bytes as they were to be stored, and checksum of the plain bytes, in hexadecimal
   * @throws BackupFault if the bytes read back differ; ChecksumMismatchError
   */
  write(bucket: string, path: string, plain: Readable, options?: WriteOptions): Promise<StoredFile>
  /**
   * Opens stored bytes for reading, decrypted and decompressed. Damaged bytes end the stream with an error if they are encrypted
   * or compressed, or if `storedSha256` is given.
   * @throws BackupFault if the object is missing; Error if the beginning of encrypted bytes is damaged
   */
  read(bucket: string, path: string, options?: ReadOptions): Promise<Readable>
  /** Returns the size that a number of plain bytes has when stored uncompressed. */
  storedSizeOf(bytes: number): number
}

interface WriteOptions {
  isCompressed?: boolean
  /** Required checksum of the plain bytes, in hexadecimal. */
  sha256?: string
  /** Whether to remove an existing object, such as a damaged one, before the new bytes are stored. */
  mayReplace?: boolean
}

interface ReadOptions {
  isCompressed?: boolean
  /** Required checksum of the stored bytes, in hexadecimal. */
  storedSha256?: string
  /** Most plain bytes that are read. If there are more, the stream ends with an error. */
  maxBytes?: number
}

/** Thrown if the plain bytes do not have the required checksum, before anything is stored. */
export class ChecksumMismatchError extends Error {
  override name = 'ChecksumMismatchError'
}

interface StoredFile {
  /** Size of the stored bytes. */
  bytes: number
  storedSha256: string
  /** Checksum of the plain bytes. */
  sha256: string
}

const OBJECT_METADATA = { contentType: 'application/octet-stream', cacheControlSeconds: 0 }

/**
 * Opens a destination of backups.
 * @param destination a folder, or `s3://bucket[/prefix]?endpoint=…`
 * @param passphrase undefined if new files are not to be encrypted
 * @param options `tempFolder`: folder for files on their way to a bucket, usually the data folder, since /tmp may be in memory;
 * `isReadOnly`: neither a folder nor a key is created
 * @throws StartError if the destination is invalid, if the passphrase does not open its key, or if the key of encrypted backups
 * is missing; with `isReadOnly` also for a folder in which nothing is stored, and for any missing key
 */
export async function openBackupStore(
  destination: string,
  passphrase: string | undefined,
  { tempFolder = tmpdir(), isReadOnly = false }: { tempFolder?: string; isReadOnly?: boolean } = {},
): Promise<BackupStore> {
  assertDestination(destination)
  const storage = await (isReadOnly ? openDestinationToRead(destination) : openDestination(destination))
  const cipher =
    passphrase === undefined ? undefined : await openCipher(storage, passphrase, { mayCreate: !isReadOnly })
  const scratchFolder = isS3(destination) ? tempFolder : folderOf(destination)
  const store: BackupStore = {
    name: destinationName(destination),
    storage,
    cipher,
    scratchFolder,
    storedSizeOf: (bytes) => cipher?.sizeOf(bytes) ?? bytes,
    async write(bucket, path, plain, options = {}) {
      return withTempFolder(scratchFolder, async (folder) => {
        const file = join(folder, randomUUID())
        const plainHash = createHash('sha256')
        const packedBody = pipeThrough(
          plain,
          createHashStream(plainHash),
          ...(options.isCompressed ? [createGzip({ level: 4 })] : []),
        )
        await pipeline(cipher ? await cipher.encrypt(packedBody) : packedBody, createWriteStream(file, { mode: 0o600 }))
        const [storedSha256, { size: bytes }, sha256] = [
          await hashFile(file),
          await stat(file),
          plainHash.digest('hex'),
        ]
        if (options.sha256 !== undefined && sha256 !== options.sha256)
          throw new ChecksumMismatchError(`${bucket}/${path}`)
        if (options.mayReplace) await storage.remove(bucket, path)
        await storage
          .putFile(bucket, path, file, { ...OBJECT_METADATA, sha256: storedSha256 })
          .catch((error: unknown) => {
            if (!(error instanceof ObjectExistsError)) throw error
          })
        await rm(file, { force: true })
        const { isCompressed = false } = options
        if ((await hashStream(await store.read(bucket, path, { isCompressed }))) !== sha256)
          throw new BackupFault(
            `Lo guardado en ${store.name} no es lo que se escribió: no se puede confiar en ese lugar.`,
            'Lo que se lee de donde se guarda no es lo que se escribió.',
          )
        return { bytes, storedSha256, sha256 }
      })
    },
    async read(bucket, path, options = {}) {
      const storedBody = await storage.get(bucket, path)
      if (!storedBody)
        throw new BackupFault(
          `Al respaldo le falta un archivo (${bucket}/${path}).`,
          'Al respaldo le falta un archivo.',
        )
      const { storedSha256 } = options
      const checkedBody =
        storedSha256 === undefined
          ? storedBody
          : pipeThrough(storedBody, createHashStream(createHash('sha256'), storedSha256))
      const decryptedBody = cipher ? await cipher.decrypt(checkedBody) : checkedBody
      const plain = options.isCompressed ? pipeThrough(decryptedBody, createGunzip()) : decryptedBody
      return options.maxBytes === undefined ? plain : pipeThrough(plain, createByteLimit(options.maxBytes))
    },
  }
  return store
}

/** Creates a stream that passes on up to `maxBytes`, and ends with an error if there are more. */
function createByteLimit(maxBytes: number): Transform {
  let bytes = 0
  return new Transform({
    transform(chunk, _encoding, callback) {
      bytes += chunk.length
      callback(bytes > maxBytes ? new Error('too many bytes') : null, chunk)
    },
  })
}

/** Creates a stream that hashes bytes and passes them on. It ends with an error if their checksum differs from `sha256`. */
function createHashStream(hash: Hash, sha256?: string): Transform {
  return new Transform({
    transform(chunk, _encoding, callback) {
      hash.update(chunk)
      callback(null, chunk)
    },
    flush(callback) {
      callback(sha256 === undefined || hash.digest('hex') === sha256 ? null : new Error('another sum'))
    },
  })
}

/** Pipes a stream through transforms. @returns the last transform, which ends with an error if any of the streams fails */
export function pipeThrough(first: Readable, ...rest: Transform[]): Readable {
  return rest.reduce<Readable>((from, to) => {
    pipeline(from, to).catch(() => {})
    return to
  }, first)
}

export const streamOf = (body: string | Uint8Array): Readable => Readable.from([Buffer.from(body)])
