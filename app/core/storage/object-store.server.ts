import type { Readable } from 'node:stream'

/** Metadata that is stored beside an object's bytes. */
export interface ObjectMetadata {
  contentType: string
  /** 3600 for the forms' files (§7). For private files the value is stored, but not sent to browsers. */
  cacheControlSeconds: number
}

export interface StoredObject extends ObjectMetadata {
  /** Size in bytes. */
  size: number
  /** Checksum in hex. The S3 adapter returns '' for an object that another program stored. */
  sha256: string
}

/** Thrown if an object's path is taken, since objects are never overwritten. */
export class ObjectExistsError extends Error {
  override name = 'ObjectExistsError'
}

/** Stores objects by bucket and path, in a folder (folder-adapter.server.ts) or on an S3 server (s3-adapter.server.ts). */
export interface ObjectStorage {
  /**
   * Stores a local file durably under a path. The file stays, but may share its bytes with the object, so the caller must not
   * write to it any more.
   * @throws ObjectExistsError if the path is taken; the existing object stays as it is
   */
  putFile(bucket: string, path: string, file: string, metadata: ObjectMetadata & { sha256: string }): Promise<void>
  /** Stores a small body held in memory, like `putFile`. */
  putBytes(bucket: string, path: string, body: Uint8Array, metadata: ObjectMetadata): Promise<void>
  /** Returns an object's metadata, or undefined if there is no such object. */
  head(bucket: string, path: string): Promise<StoredObject | undefined>
  /**
   * Returns a stream of an object's bytes, or undefined if there is no such object.
   * @param range positions of the first and the last byte; all bytes without it
   */
  get(bucket: string, path: string, range?: { start: number; end: number }): Promise<Readable | undefined>
  /** Lists paths that begin with a prefix, in the order of their UTF-8 bytes. */
  list(bucket: string, prefix: string): AsyncIterable<string>
  /** Removes an object, if there is one. */
  remove(bucket: string, path: string): Promise<void>
  /** Returns when an object was stored, by the storage's clock, or undefined if there is no such object. */
  modifiedAt(bucket: string, path: string): Promise<Date | undefined>
  /** Checks the storage. @throws if it cannot be used now */
  check(): Promise<void>
}

const BUCKET_PATTERN = /^[a-z0-9][a-z0-9-]{1,62}$/
/** An S3 key has at most 1,024 bytes, of which prefix and bucket take some. */
const MAX_PATH_BYTES = 900

/** Asserts that a path stays within its bucket and suits both adapters. A failure is a bug, not a visitor's mistake. */
export function assertObjectName(bucket: string, path: string): void {
  if (!BUCKET_PATTERN.test(bucket)) throw new Error(`Not a bucket: ${JSON.stringify(bucket)}`)
  const segments = path.split('/')
  const isForbidden = (segment: string) =>
    segment === '' || segment === '.' || segment === '..' || Buffer.byteLength(segment) > 255
  if (
    /[\0\\]/.test(path) ||
    !path.isWellFormed() ||
    Buffer.byteLength(path) > MAX_PATH_BYTES ||
    segments.some(isForbidden)
  )
    throw new Error(`Not an object path: ${JSON.stringify(path)}`)
}
