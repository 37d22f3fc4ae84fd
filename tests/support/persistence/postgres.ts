import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { openPool } from '#app/core/db/database.server.ts'
import { migrate } from '#app/core/db/migrate.server.ts'
import { startPostgres } from '#app/core/postgres/embedded.server.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    postgres: { host: string; port: number; user: string }
  }
}

export const TEMPLATE = 'plantilla'

/** Starts one real PostgreSQL for the run. Its template database has every migration, and each test file clones the template. */
export default async function setup(project: TestProject) {
  const folder = await mkdtemp(join(tmpdir(), 'certamen-db-'))
  const server = await startPostgres(join(folder, 'postgres'), console.warn)
  const { host, port, user } = server.superuser as { host: string; port: number; user: string }
  const admin = openPool(server.superuser, 1)
  // Test data need not survive a power cut: no write waits for the disk.
  for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes'])
    await admin.query(`alter system set ${setting} = off`)
  await admin.query('select pg_reload_conf()')
  // `emptyTables` sets this parameter to skip triggers.
  await admin.query('grant set on parameter session_replication_role to certamen')
  await admin.query(`create database ${TEMPLATE} owner certamen`)
  await admin.end()
  const pool = openPool({ host, port, user: 'certamen', database: TEMPLATE }, 1)
  await migrate(pool, 'db/migrations')
  await pool.end()
  project.provide('postgres', { host, port, user })
  return async () => {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
