import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { findUnprivileged, nativeFolder } from '#app/core/postgres/native-binaries.server.ts'
import { unpackPackages } from '../../../scripts/debian.mjs'
import { type Program, startProgram } from './program.ts'

/** Maximum connections of the pooler to PostgreSQL, as docs/operacion.md says. */
export const MAX_DATABASE_CONNECTIONS = 40

/**
 * Starts pgbouncer of Debian's packages in transaction mode in front of an embedded PostgreSQL, under the same unprivileged account.
 * @param socketsFolder folder of PostgreSQL's sockets
 */
export async function startPooler(workFolder: string, port: number, socketsFolder: string): Promise<Program> {
  const { folder, env } = await unpackPackages('pgbouncer', ['pgbouncer'], 'usr/sbin/pgbouncer')
  const configFile = join(workFolder, 'pgbouncer.ini')
  await writeFile(
    configFile,
    `[databases]
certamen = host=${socketsFolder} port=5432 dbname=certamen user=certamen connect_query='set idle_in_transaction_session_timeout = ''5min'''
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${MAX_DATABASE_CONNECTIONS}
max_client_conn = 200
query_wait_timeout = 30
`,
  )
  const { wrap, options } = await findUnprivileged(await nativeFolder())
  const [program, args] = wrap(join(folder, 'usr/sbin/pgbouncer'), [configFile])
  const isReady = () =>
    readPools(port).then(
      () => true,
      () => false,
    )
  return startProgram(program, args, { ...options, env, endSignal: 'SIGKILL', isReady })
}

/** Reads the site's pools, as pgbouncer's console shows them. */
export async function readPools(port: number): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'pgbouncer', database: 'pgbouncer' })
  await client.connect()
  try {
    // The console accepts only simple queries, without parameters.
    const { rows } = await client.query<Record<string, unknown>>('show pools')
    return rows.filter(({ database }) => database === 'certamen')
  } finally {
    await client.end()
  }
}
