import type { ZipEntry } from '#app/core/http/zip-response.server.ts'
import { BACKUP_BUCKET, SHARED_OBJECT_BUCKET } from '#app/core/storage/age-encryption.server.ts'
import { openBackup } from './restore.server.ts'
import { openBackupStore } from './store.server.ts'

/** Buckets of a destination that go with every backup: the encrypted key file, and the erasure log. */
const SHARED_BUCKETS = ['clave', 'supresiones']

/**
 * Lists the files of the newest encrypted backup for a ZIP. They stay encrypted. The command `restaurar` opens the unpacked ZIP.
 * @returns the ZIP's entries, and the backup's ISO moment
 * @throws StartError if the passphrase opens no backup; Error if a file of the backup is missing
 */
export async function listNewestBackup(destination: string, passphrase: string, tempFolder: string) {
  const store = await openBackupStore(destination, passphrase, { tempFolder, isReadOnly: true })
  const { catalogEntry, manifest } = await openBackup(store)
  const lastModified = new Date(catalogEntry.momento)
  const { storage } = store
  const bucketPaths = [...new Set(manifest.objetos.map(({ guardado }) => guardado.nombre))].map((path) => [
    SHARED_OBJECT_BUCKET,
    path,
  ])
  for (const bucket of SHARED_BUCKETS)
    for await (const path of storage.list(bucket, '')) bucketPaths.push([bucket, path])
  for await (const path of storage.list(BACKUP_BUCKET, `${catalogEntry.id}/`)) bucketPaths.push([BACKUP_BUCKET, path])
  const entries: ZipEntry[] = []
  for (const [bucket, path] of bucketPaths as [string, string][]) {
    const size = (await storage.head(bucket, path))?.size
    if (size === undefined) throw new Error('a backup lacks a file')
    const open = async () => {
      const body = await storage.get(bucket, path)
      if (!body) throw new Error('a backup lost a file')
      return body
    }
    entries.push({ name: `objects/${bucket}/${path}`, size, lastModified, open })
  }
  return { entries, momento: catalogEntry.momento }
}
