import type pg from 'pg'
import { erasureFingerprint } from '#app/core/db/erasure-log.server.ts'
import type { BackedUpObject } from '#app/core/storage/backed-up-object.server.ts'
import { BUCKET, objectPath } from './file-store.server.ts'

/** Lists the stored files of all editions, as seen by the client's open transaction. */
export async function listEditionObjects(client: pg.ClientBase): Promise<BackedUpObject[]> {
  const { rows } = await client.query<{ sha256: string }>(
    'select sha256 from archivos_de_edicion where guardado order by sha256',
  )
  return rows.map(({ sha256 }) => ({ bucket: BUCKET, path: objectPath(sha256), sha256 }))
}

/** Returns the keyed hash that stands for a withdrawn candidate in the erasure log. */
export const fingerprintOfWithdrawn = (key: Uint8Array, edition: number, candidate: string): string =>
  erasureFingerprint(key, 'candidata', edition, candidate)
