import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { recountTodas } from '#app/escrutinio/cadena-recontada.server.ts'
import { openDatabase, openPool } from '#app/platform/database.server.ts'
import { startPostgres } from '#app/platform/postgres.server.ts'
import { keysOf } from '#app/platform/session-secret.server.ts'
import { withTemporal } from '#app/platform/temporales.server.ts'
import { countCuentas } from './base.server.ts'
import { type CopiaAbierta, restoreBase, restoreObjetos } from './restaurar.server.ts'
import type { Cuentas } from './schema.ts'

interface Ensayo {
  /** Folder of the SQL files. */
  migrations: string
  /** What the votes were signed with; undefined: signatures are left out. */
  secreto: string | undefined
  dice(avance: string): void
}

/** Puts a copy's database into a server of its own for as long as `work` runs. */
export const withBase = <Done>(
  abierta: CopiaAbierta,
  { migrations, dice }: Pick<Ensayo, 'migrations' | 'dice'>,
  work: (pool: pg.Pool, difieren: string[]) => Promise<Done>,
): Promise<Done> =>
  withTemporal(tmpdir(), async (folder) => {
    const postgres = await startPostgres(join(folder, 'postgres'), dice)
    try {
      const pool = openPool(postgres.connection, 4)
      try {
        const { difieren } = await restoreBase(pool, abierta, migrations, dice)
        return await work(pool, difieren)
      } finally {
        await pool.end()
      }
    } finally {
      await postgres.stop()
    }
  })

/**
 * Restores a copy in rehearsal: its database into a server that is gone afterwards, its objects read and summed up.
 * @returns Spanish sentences; empty: it is whole, and restores
 */
export const ensayar = (
  abierta: CopiaAbierta,
  { migrations, secreto, dice }: Ensayo,
): Promise<{ fallas: string[]; aqui: Cuentas }> =>
  withBase(abierta, { migrations, dice }, async (pool, difieren) => {
    const votos = await recountTodas(openDatabase(pool), secreto === undefined ? undefined : keysOf(secreto))
    dice('Votos: contados otra vez, sello por sello.')
    const bad = await restoreObjetos(abierta, undefined, dice)
    return {
      aqui: await countCuentas(pool),
      fallas: [
        ...difieren.map((tabla) => `La tabla ${tabla} no es la del respaldo.`),
        ...bad.map((path) => `Falta o está dañado el archivo ${path}.`),
        ...abierta.manifiesto.perdidos.map((path) => `El archivo ${path} ya faltaba cuando se hizo el respaldo.`),
        ...votos,
      ],
    }
  })
