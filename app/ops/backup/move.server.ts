import type pg from 'pg'
import {
  type DumpedTable,
  digestTable,
  dumpTable,
  listDumpedTables,
  readAppliedMigrations,
  readSequences,
  type TableDigest,
} from '#app/core/db/table-dump.server.ts'
import type { ReportProgress } from '#app/core/process/progress.server.ts'
import { processAll } from '#app/core/process/progress.server.ts'
import type { BackedUpObject } from '#app/core/storage/backed-up-object.server.ts'
import type { ObjectStorage } from '#app/core/storage/object-store.server.ts'
import { assertTargetEmpty, type RestoredSite, type RestoreTarget, restoreSite } from './restore.server.ts'
import { countsOf, type ObjectRecord, type RowCounts } from './schema.ts'
import { describeObject, listObjectsToBackUp, withSnapshot } from './site-snapshot.server.ts'

interface MoveOptions {
  migrationsFolder: string
  /** Secret that signed the votes; without it, signatures are not checked. */
  secret: string | undefined
  onProgress: ReportProgress
}

/** Result of a move, compared with the old place. */
interface MovedSite extends RestoredSite {
  before: RowCounts
  objectCount: number
  /** Tables that changed during the move, so that rows were left behind. */
  changedTables: string[]
}

/**
 * Moves a site's database, objects or both to another place without a backup in between. The new PostgreSQL may have another
 * version. The old place stays as it is. An interrupted move can be started again.
 * @throws StartError if the target has other data
 */
export async function moveSite(
  { pool, storage }: { pool: pg.Pool; storage: ObjectStorage },
  target: RestoreTarget,
  options: MoveOptions,
): Promise<MovedSite> {
  const moveResult = await withSnapshot(pool, async (client) => {
    const tables: (DumpedTable & TableDigest)[] = []
    for (const table of target.pool ? await listDumpedTables(client) : [])
      tables.push({ ...table, ...(await digestTable(client, table)).digest })
    const objectsToMove: BackedUpObject[] = target.storage ? await listObjectsToBackUp(client, undefined) : []
    const objects: ObjectRecord[] = []
    const missingPaths: string[] = []
    await processAll(objectsToMove, 'Archivos', options.onProgress, async (object) => {
      const description = await describeObject(storage, object)
      if (description) objects.push(description)
      else missingPaths.push(`${object.bucket}/${object.path}`)
    })
    const copy = {
      manifest: {
        tablas: tables,
        objetos: objects,
        migraciones: await readAppliedMigrations(client),
        secuencias: await readSequences(client),
      },
      erasedFingerprints: new Set<string>(),
      openTable: (table: { nombre: string }) =>
        dumpTable(client, tables.find(({ nombre }) => nombre === table.nombre)!),
      openObject: async ({ bucket, path }: ObjectRecord) => {
        const body = await storage.get(bucket, path)
        if (!body) throw new Error('no such object')
        return body
      },
    }
    await assertTargetEmpty(target.pool, target.storage, copy)
    const restoreResult = await restoreSite(copy, target, options)
    return {
      ...restoreResult,
      tables,
      lostObjects: [...missingPaths, ...restoreResult.lostObjects],
      objectCount: objectsToMove.length,
    }
  })
  const { tables, ...result } = moveResult
  // A new snapshot shows the tables that changed during the move.
  const changedTables = await withSnapshot(pool, async (client) => {
    const changedNames: string[] = []
    for (const table of tables)
      if ((await digestTable(client, table)).digest.sha256 !== table.sha256) changedNames.push(table.nombre)
    return changedNames
  })
  return { ...result, before: countsOf(tables), changedTables }
}
