import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { openDatabase, openPool } from '#app/core/db/database.server.ts'
import { startPostgres } from '#app/core/postgres/embedded.server.ts'
import { nativeFolder } from '#app/core/postgres/native-binaries.server.ts'
import { keysOf } from '#app/core/process/session-secret.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import { CLUSTER, withTemporal } from '#app/core/storage/temp-folders.server.ts'
import { recountAll } from '#app/voting/chain/recount.server.ts'
import { BackupFault } from './fault.server.ts'
import { countRows } from './load-database.server.ts'
import { type OpenedBackup, restoreBase, restoreObjects } from './restore.server.ts'
import type { Accounts } from './schema.ts'

interface RehearsalOptions {
  /** Folder of the SQL files. */
  migrations: string
  /** A folder with room for the whole database: of the data's disk, since what is called temporary may be memory. */
  lugar: string
  /** What the votes were signed with; undefined: signatures are left out. */
  secreto: string | undefined
  dice(progress: string): void
}

/** What a database takes up of the bytes of its compressed text, and a server of itself. */
const GROWS = 10
const SERVER_BYTES = 150_000_000

/** Whether there is a PostgreSQL here to rehearse with, which the image of a container has not. */
export const canRehearse = (): Promise<boolean> =>
  nativeFolder().then(
    () => true,
    () => false,
  )

/**
 * Puts a copy's database into a server of its own for as long as `work` runs.
 * @throws StartError where there is no room for it, or no PostgreSQL, as in the image of a container
 */
export const withBase = <Done>(
  opened: OpenedBackup,
  { migrations, lugar, dice }: Pick<RehearsalOptions, 'migrations' | 'lugar' | 'dice'>,
  work: (pool: pg.Pool, differingTables: string[]) => Promise<Done>,
): Promise<Done> =>
  withTemporal(lugar, async (folder) => {
    await assertFits(folder, opened)
    const postgres = await startPostgres(join(folder, CLUSTER), dice)
    try {
      const pool = openPool(postgres.connection, 4)
      try {
        const { difieren } = await restoreBase(pool, opened, migrations, dice)
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
 * @returns Spanish sentences for the terminal; empty: it is whole, and restores. And the same in numbers, without names
 * or paths, to be written down
 */
export const rehearseBackup = (
  opened: OpenedBackup,
  { migrations, lugar, secreto, dice }: RehearsalOptions,
): Promise<{ fallas: string[]; resumen: string | undefined; aqui: Accounts }> =>
  withBase(opened, { migrations, lugar, dice }, async (pool, differingTables) => {
    const votes = await recountAll(openDatabase(pool), secreto === undefined ? undefined : keysOf(secreto))
    dice('Votos: contados otra vez, sello por sello.')
    const bad = await restoreObjects(opened, undefined, dice)
    const { perdidos } = opened.manifiesto
    const counts: [number, string][] = [
      [differingTables.length, 'tablas que no son las del respaldo'],
      [bad.length, 'archivos que faltan o están dañados'],
      [perdidos.length, 'archivos que ya faltaban cuando se hizo'],
      [votes.length, 'fallas en el recuento de votos'],
    ]
    const summary = counts.flatMap(([count, words]) => (count > 0 ? [`${count} ${words}`] : [])).join(', ')
    return {
      resumen: summary === '' ? undefined : `${summary}.`,
      aqui: await countRows(pool),
      fallas: [
        ...differingTables.map((tabla) => `La tabla ${tabla} no es la del respaldo.`),
        ...bad.map((path) => `Falta o está dañado el archivo ${path}.`),
        ...perdidos.map((path) => `El archivo ${path} ya faltaba cuando se hizo el respaldo.`),
        ...votes,
      ],
    }
  })

async function assertFits(folder: string, { manifiesto }: OpenedBackup): Promise<void> {
  if (!(await canRehearse()))
    throw new StartError(
      'Para esto hace falta el PostgreSQL incluido, que esta imagen no trae: repite la orden en una máquina con el paquete del sitio y acceso al respaldo.',
    )
  const needed = manifiesto.tablas.reduce((sum, { guardado }) => sum + guardado.bytes * GROWS, SERVER_BYTES)
  const { bavail, bsize } = await statfs(folder)
  if (bavail * bsize < needed)
    throw new BackupFault(
      `Para esto hacen falta unos ${Math.ceil(needed / 1_000_000)} MB libres en el disco de los datos, y hay ${Math.floor((bavail * bsize) / 1_000_000)}: libera espacio y repite la orden.`,
      'No cupo en el disco de los datos.',
    )
}
