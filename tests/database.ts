import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { inject } from 'vitest'
import { type Database, openDatabase, openPool } from '#app/platform/database.server.ts'
import { TEMPLATE } from './postgres.ts'

export interface TestDatabase {
  db: Database
  pool: pg.Pool
  drop(): Promise<void>
}

/** A database of its own for a test file, cloned from the migrated template. */
export async function freshDatabase(): Promise<TestDatabase> {
  const server = inject('postgres')
  const name = `prueba_${randomBytes(6).toString('hex')}`
  const admin = openPool({ ...server, database: 'postgres' }, 1)
  await admin.query(`create database ${name} template ${TEMPLATE} owner certamen`)
  const pool = openPool({ ...server, user: 'certamen', database: name })
  return {
    db: openDatabase(pool),
    pool,
    async drop() {
      await pool.end()
      // The pool says goodbye without waiting for the server to hang up.
      for (let patience = 100; patience > 0; patience--) {
        const { rowCount } = await admin.query('select 1 from pg_stat_activity where datname = $1', [name])
        if (rowCount === 0) break
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      await admin.query(`drop database ${name} with (force)`)
      await admin.end()
    },
  }
}
