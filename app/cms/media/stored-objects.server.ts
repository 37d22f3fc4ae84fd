import type pg from 'pg'
import { erasureFingerprint } from '#app/core/db/erasure-log.server.ts'
import type { BackedUpObject } from '#app/core/storage/backed-up-object.server.ts'
import { EDITION_BUCKET, fileObjectPath } from './file-store.server.ts'

/** Lists the stored files of all editions, as the client sees the database. */
export async function listEditionObjects(client: pg.ClientBase): Promise<BackedUpObject[]> {
  const { rows } = await client.query<{ sha256: string }>(
    'select sha256 from archivos_de_edicion where guardado order by sha256',
  )
  return rows.map(({ sha256 }) => ({ bucket: EDITION_BUCKET, path: fileObjectPath(sha256), sha256 }))
}

/** Returns the keyed hash of a withdrawn candidate for the erasure log. */
export const withdrawalFingerprint = (key: Uint8Array, edition: number, candidate: string): string =>
  erasureFingerprint(key, 'candidata', edition, candidate)
