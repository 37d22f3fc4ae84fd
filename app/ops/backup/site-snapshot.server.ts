import type pg from 'pg'
import { listEditionObjects } from '#app/cms/media/stored-objects.server.ts'
import { prepareDumpTransaction } from '#app/core/db/table-dump.server.ts'
import type { BackedUpObject } from '#app/core/storage/backed-up-object.server.ts'
import type { ObjectStorage } from '#app/core/storage/object-store.server.ts'
import { listEntryObjects } from '#app/entries/retention/stored-objects.server.ts'
import type { ObjectRecord } from './schema.ts'

/** Runs work in a read-only transaction on one snapshot of the database. */
export async function withSnapshot<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  try {
    await client.query('begin isolation level repeatable read read only')
    await prepareDumpTransaction(client)
    return await work(client)
  } finally {
    await client.query('rollback').catch(() => {})
    client.release()
  }
}

/**
 * Lists the stored objects of entries and editions, as the client sees the database.
 * @param erasureKey key of the owners' fingerprints; if it is undefined, objects get none
 */
export async function listObjectsToBackUp(
  client: pg.ClientBase,
  erasureKey: Uint8Array | undefined,
): Promise<BackedUpObject[]> {
  return [...(await listEntryObjects(client, erasureKey)), ...(await listEditionObjects(client))]
}

/**
 * Completes the database's description of an object with the properties that only the storage knows: size, type, cache lifetime
 * and, if the database has none, the checksum.
 * @returns undefined if the storage does not have the object
 */
export async function describeObject(
  storage: ObjectStorage,
  { bucket, path, sha256: knownSha256, de }: BackedUpObject,
): Promise<(ObjectRecord & { size: number }) | undefined> {
  const head = await storage.head(bucket, path)
  if (!head) return undefined
  const { size, contentType, cacheControlSeconds } = head
  const sha256 = knownSha256 ?? head.sha256
  return { bucket, path, sha256, contentType, cacheControlSeconds, ...(de !== undefined && { de }), size }
}
