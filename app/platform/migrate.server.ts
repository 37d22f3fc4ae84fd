import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { CANDADOS } from './candados.ts'

/**
 * Applies the migrations that this database has not seen, in the order of their names, one transaction each.
 * Several processes may start at once: one applies, the others wait.
 * @returns names applied now
 */
export async function migrate(pool: pg.Pool, folder: string): Promise<string[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  const client = await pool.connect()
  const applied: string[] = []
  try {
    await client.query('select pg_advisory_lock($1)', [CANDADOS.migrar])
    await client.query(
      'create table if not exists migraciones (nombre text primary key, aplicada timestamptz not null default now())',
    )
    const { rows } = await client.query<{ nombre: string }>('select nombre from migraciones')
    const done = new Set(rows.map((row) => row.nombre))
    for (const name of files.filter((file) => !done.has(file))) {
      await client.query('begin')
      try {
        await client.query(await readFile(join(folder, name), 'utf8'))
        await client.query('insert into migraciones (nombre) values ($1)', [name])
        await client.query('commit')
      } catch (error) {
        await client.query('rollback')
        throw new Error(`La migración ${name} no pudo aplicarse`, { cause: error })
      }
      applied.push(name)
    }
  } finally {
    await client.query('select pg_advisory_unlock($1)', [CANDADOS.migrar]).catch(() => {})
    client.release()
  }
  return applied
}
