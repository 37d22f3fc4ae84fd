import type pg from 'pg'
import type { Database } from '#app/core/db/database.server.ts'
import { erasureFingerprint } from '#app/core/db/erasure-log.server.ts'
import type { BackedUpObject } from '#app/core/storage/backed-up-object.server.ts'
import { FORMS } from '#app/entries/definitions/both-forms.ts'

interface EntryIdentity {
  id: number
  folio: string
  created_at: Date
}

/**
 * Computes an entry's fingerprint in the erasure log. It includes the moment of arrival, since ids may be reused after a restore.
 * @param erasureKey key of the erasure log (`readErasureKey`)
 */
export const entryFingerprint = (erasureKey: Uint8Array, { id, folio, created_at }: EntryIdentity): string =>
  erasureFingerprint(erasureKey, 'inscripcion', id, folio, created_at)

/**
 * Lists the documents and the current metadata of all entries, as the client's open transaction sees them. Entries being deleted
 * are left out, since their objects are removed before their rows.
 * @param erasureKey key of the erasure log; if undefined, no object gets a fingerprint (`de`)
 */
export async function listEntryObjects(
  client: pg.ClientBase,
  erasureKey: Uint8Array | undefined,
): Promise<BackedUpObject[]> {
  const { rows } = await client.query<
    EntryIdentity & { tipo: keyof typeof FORMS; path: string; sha256: string | null }
  >(
    `select i.id, i.folio, i.created_at, i.tipo, o.path, o.sha256 from inscripciones i
     join (select inscripcion_id, path, sha256 from documentos
       ${Object.values(FORMS)
         .map(({ table }) => `union all select inscripcion_id, metadata_path, null from ${table}`)
         .join(' ')}) o on o.inscripcion_id = i.id
     where not exists (select from borrados b where b.inscripcion_id = i.id) order by i.id, o.path`,
  )
  return rows.map(({ tipo, path, sha256, ...identity }) => ({
    bucket: FORMS[tipo].bucket,
    path,
    sha256: sha256 ?? undefined,
    de: erasureKey && entryFingerprint(erasureKey, identity),
  }))
}

/** Lists the ids of entries that exist although the erasure log has them, such as those that a restored backup brought back. */
export async function listErasedEntries(
  db: Database,
  erasureKey: Uint8Array,
  fingerprints: ReadonlySet<string>,
): Promise<number[]> {
  const rows = await db.selectFrom('inscripciones').select(['id', 'folio', 'created_at']).orderBy('id').execute()
  return rows.filter((entry) => fingerprints.has(entryFingerprint(erasureKey, entry))).map(({ id }) => id)
}
