import type pg from 'pg'
import { huellaDeSupresion } from '#app/core/db/erasure-log.server.ts'
import type { ObjetoPorCopiar } from '#app/core/storage/backed-up-object.server.ts'
import { BUCKET, objetoDe } from './file-store.server.ts'

/** The files of every edition that the storage holds, as the transaction that is open sees it. */
export async function listObjetosDeEdicion(client: pg.ClientBase): Promise<ObjetoPorCopiar[]> {
  const { rows } = await client.query<{ sha256: string }>(
    'select sha256 from archivos_de_edicion where guardado order by sha256',
  )
  return rows.map(({ sha256 }) => ({ bucket: BUCKET, path: objetoDe(sha256), sha256 }))
}

/** What the ledger of deletions calls a candidate who takes no part any more. */
export const huellaDeRetirada = (clave: Uint8Array, edicion: number, candidata: string): string =>
  huellaDeSupresion(clave, 'candidata', edicion, candidata)
