import type { Readable } from 'node:stream'

/** Is stored beside an object's bytes. */
export interface ObjectMetadata {
  contentType: string
  /** 3600 for the forms' files (§7); the value is kept with the object, but not sent to browsers for private files. */
  cacheControlSeconds: number
}

export interface StoredObject extends ObjectMetadata {
  /** Size in bytes. */
  size: number
  /** In hex; '' from the S3 adapter for an object that another program stored. */
  sha256: string
}

/** The path is taken, and objects are never overwritten. */
export class ObjectExistsError extends Error {
  override name = 'ObjectExistsError'
}

/**
 * Holds objects by bucket and path. There are two adapters: a folder (folder-adapter.server.ts) and S3 (s3-adapter.server.ts).
 */
export interface ObjectStorage {
  /**
   * Stores a local file durably under a path. The file stays, but may share its bytes with the object from then on, so the caller
   * must not write to it any more.
   * @throws ObjectExistsError when the path is taken; the existing object stays as it is
   */
  putFile(bucket: string, path: string, file: string, metadata: ObjectMetadata & { sha256: string }): Promise<void>
  /** Stores a small body held in memory, like `putFile`. */
  putBytes(bucket: string, path: string, body: Uint8Array, metadata: ObjectMetadata): Promise<void>
  /** Returns an object's metadata; undefined when there is no such object. */
  head(bucket: string, path: string): Promise<StoredObject | undefined>
  /** Returns a stream of the bytes, optionally from start to end, both included; undefined when there is no such object. */
  get(bucket: string, path: string, range?: { start: number; end: number }): Promise<Readable | undefined>
  /** Lists paths that begin with a prefix, in the order of their UTF-8 bytes. */
  list(bucket: string, prefix: string): AsyncIterable<string>
  /** Removes an object, if it exists. */
  remove(bucket: string, path: string): Promise<void>
  /** Returns when the object was stored, by the storage's clock; undefined when there is no such object. */
  modifiedAt(bucket: string, path: string): Promise<Date | undefined>
  /** @throws when the storage cannot be used now */
  check(): Promise<void>
}

const BUCKET = /^[a-z0-9][a-z0-9-]{1,62}$/
const MAX_PATH_BYTES = 900

/**
 * Asserts that a path stays within its bucket, and that both adapters can hold it. A failure is a bug, not a visitor's mistake.
 */
export function assertObjectName(bucket: string, path: string): void {
  if (!BUCKET.test(bucket)) throw new Error(`Not a bucket: ${JSON.stringify(bucket)}`)
  const segments = path.split('/')
  const isBad = (segment: string) =>
    segment === '' || segment === '.' || segment === '..' || Buffer.byteLength(segment) > 255
  if (/[\0\\]/.test(path) || !path.isWellFormed() || Buffer.byteLength(path) > MAX_PATH_BYTES || segments.some(isBad))
    throw new Error(`Not an object path: ${JSON.stringify(path)}`)
}
