import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import pg from 'pg'
import { openDatabase } from '#app/core/db/database.server.ts'
import { readAppliedMigrations } from '#app/core/db/table-dump.server.ts'
import { keysOf } from '#app/core/process/session-secret.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import type { ObjectStorage } from '#app/core/storage/object-store.server.ts'
import { recountAll } from '#app/voting/chain/recount.server.ts'
import { listObjectsToBackUp } from './create.server.ts'
import { countRows } from './load-database.server.ts'
import type { RowCounts } from './schema.ts'

interface DiskCopy {
  /** Connections as the database's owner, and as a superuser, who may inspect the files. */
  pool: pg.Pool
  superuser: pg.ClientConfig
  storage: ObjectStorage
  migrations: string
  /** Secret that signed the votes; undefined: signatures are not checked. */
  secret: string | undefined
  onProgress(progress: string): void
}

/**
 * Checks a database whose files were copied from the disk of a crashed machine: every page and index, every reference,
 * every chain of votes, every document. Changes nothing.
 * @returns Spanish sentences about faults of the database, and about missing documents; row counts, without such faults
 * @throws StartError when the database is of another version of the site
 */
export async function checkDiskCopy({
  pool,
  superuser,
  storage,
  migrations,
  secret,
  onProgress,
}: DiskCopy): Promise<{ faults: string[]; missing: string[]; rowCounts: RowCounts | undefined }> {
  const [there, known] = [
    await readAppliedMigrations(pool),
    (await readdir(migrations)).filter((one) => one.endsWith('.sql')),
  ]
  if (there.length === 0 || there.toSorted().join() !== known.toSorted().join())
    throw new StartError(
      `Esta base de datos es de otra versión del sitio (${there.at(-1) ?? 'ninguna'}): repite la orden con la misma versión que corría en la máquina de antes.`,
    )
  const client = new pg.Client({ ...superuser, database: pool.options.database })
  await client.connect()
  const faults: string[] = []
  try {
    faults.push(...(await lookAtFiles(client)))
    onProgress('Tablas e índices: leídos enteros.')
    faults.push(...(await lookAtReferences(client)))
  } finally {
    await client.end()
  }
  // A broken database cannot be counted.
  if (faults.length > 0) return { faults, missing: [], rowCounts: undefined }
  faults.push(...(await recountAll(openDatabase(pool), secret === undefined ? undefined : keysOf(secret))))
  onProgress('Votos: contados otra vez, sello por sello.')
  const missing = await lookAtObjects(pool, storage)
  onProgress('Documentos: leídos.')
  return { faults, missing, rowCounts: await countRows(pool) }
}

/**
 * Checks tables, indexes and sequences with the extension amcheck, in a transaction that is rolled back.
 * @see https://www.postgresql.org/docs/current/amcheck.html
 */
async function lookAtFiles(client: pg.Client): Promise<string[]> {
  const faults: string[] = []
  await client.query('begin')
  await client.query('create extension amcheck')
  const { rows } = await client.query<{
    nombre: string
    oid: number
    clase: string
    metodo: string | null
    unico: boolean
  }>(
    `select c.oid::regclass::text as nombre, c.oid::int8 as oid, c.relkind as clase, m.amname as metodo,
       coalesce(i.indisunique, false) as unico
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
       left join pg_index i on i.indexrelid = c.oid left join pg_am m on m.oid = c.relam
     where c.relkind in ('r', 't', 'm', 'i', 'S') and c.relpersistence = 'p'
       and (n.nspname in ('public', 'pg_catalog', 'pg_toast')) order by 1`,
  )
  const broken = async (name: string, query: string, values: unknown[]) => {
    await client.query('savepoint mira')
    try {
      const { rows: found } = await client.query<{ msg?: string }>(query, values)
      if (found.some(({ msg }) => msg)) faults.push(`${name} está dañada: ${found[0]!.msg}.`)
    } catch (error) {
      faults.push(`${name} está dañada: ${(error as Error).message}.`)
    }
    await client.query('rollback to savepoint mira')
  }
  for (const { nombre, oid, clase, metodo, unico } of rows) {
    if (clase === 'i') {
      if (metodo === 'btree') {
        const looks =
          Number((await client.query('show server_version_num')).rows[0].server_version_num) >= 170_000
            ? `select bt_index_check($1::oid::regclass, true, ${unico})::text as nada`
            : 'select bt_index_check($1::oid::regclass, true)::text as nada'
        await broken(`El índice ${nombre}`, looks, [oid])
      }
    } else if (clase === 'S') await broken(`La secuencia ${nombre}`, `select * from ${nombre}`, [])
    else
      await broken(
        `La tabla ${nombre}`,
        'select msg from verify_heapam($1::oid::regclass, check_toast => true) limit 1',
        [oid],
      )
  }
  await client.query('rollback')
  return faults
}

/** Checks every foreign key: drops and adds its constraint in a transaction that is rolled back. */
async function lookAtReferences(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ tabla: string; nombre: string; texto: string }>(
    `select conrelid::regclass::text as tabla, conname as nombre, pg_get_constraintdef(oid) as texto from pg_constraint
     where contype = 'f' and connamespace = 'public'::regnamespace order by 1, 2`,
  )
  const faults: string[] = []
  for (const { tabla, nombre, texto } of rows) {
    const constraint = pg.escapeIdentifier(nombre)
    await client.query('begin')
    try {
      await client.query(`alter table ${tabla} drop constraint ${constraint}`)
      await client.query(`alter table ${tabla} add constraint ${constraint} ${texto}`)
    } catch (error) {
      faults.push(`A la tabla ${tabla} le falta algo que otra nombra: ${(error as Error).message}.`)
    }
    await client.query('rollback')
  }
  return faults
}

async function lookAtObjects(pool: pg.Pool, storage: ObjectStorage): Promise<string[]> {
  const client = await pool.connect()
  const objects = await listObjectsToBackUp(client, undefined).finally(() => client.release())
  const missing: string[] = []
  for (const { bucket, path, sha256 } of objects) {
    const wanted = sha256 ?? (await storage.head(bucket, path))?.sha256
    const body = await storage.get(bucket, path)
    const hash = createHash('sha256')
    for await (const chunk of body ?? []) hash.update(chunk)
    if (!body || hash.digest('hex') !== wanted) missing.push(`Falta o está dañado el archivo ${bucket}/${path}.`)
  }
  return missing
}
