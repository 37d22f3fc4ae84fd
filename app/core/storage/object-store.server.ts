import type { Readable } from 'node:stream'

/** The metadata is stored beside an object's bytes. */
export interface ObjectMetadata {
  contentType: string
  /** The seconds are 3600 for the forms' files (§7); they are kept with the object, not sent to browsers for private files. */
  cacheControlSeconds: number
}

export interface StoredObject extends ObjectMetadata {
  size: number
  /** The hash is in hex; the S3 adapter returns '' for an object that another program stored. */
  sha256: string
}

/** `putFile` and `putBytes` throw this error when the path is taken: objects are never overwritten. */
export class ObjectExistsError extends Error {
  override name = 'ObjectExistsError'
}

/**
 * A storage holds objects in buckets, by path. There are two adapters: a folder (folder-adapter.server.ts) and S3
 * (s3-adapter.server.ts).
 */
export interface ObjectStorage {
  /**
   * Stores a local file under bucket/path, durable when it resolves. The file stays, but may share its bytes with the object
   * from then on: the caller must not write to it any more.
   * @throws ObjectExistsError when the path is taken; the object there is untouched
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
  /** Throws when the storage cannot be used now. */
  check(): Promise<void>
}

const BUCKET = /^[a-z0-9][a-z0-9-]{1,62}$/
const MAX_PATH_BYTES = 900

/**
 * Refuses paths that no caller should ask for: paths that leave their bucket, or that one of the adapters could not hold. A
 * failure here is a bug, not a visitor's mistake.
 */
export function assertObjectName(bucket: string, path: string): void {
  if (!BUCKET.test(bucket)) throw new Error(`Not a bucket: ${JSON.stringify(bucket)}`)
  const segments = path.split('/')
  const bad = (segment: string) =>
    segment === '' || segment === '.' || segment === '..' || Buffer.byteLength(segment) > 255
  if (/[\0\\]/.test(path) || !path.isWellFormed() || Buffer.byteLength(path) > MAX_PATH_BYTES || segments.some(bad))
    throw new Error(`Not an object path: ${JSON.stringify(path)}`)
}
