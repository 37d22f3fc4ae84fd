import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { openDatabase, openPool } from '#app/core/db/database.server.ts'
import { startPostgres } from '#app/core/postgres/embedded.server.ts'
import { nativeFolder } from '#app/core/postgres/native-binaries.server.ts'
import { keysOf } from '#app/core/process/session-secret.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import { CLUSTER, withTemporal } from '#app/core/storage/temp-folders.server.ts'
import { recountTodas } from '#app/voting/chain/recount.server.ts'
import { FallaDeCopia } from './fault.server.ts'
import { countCuentas } from './load-database.server.ts'
import { type CopiaAbierta, restoreBase, restoreObjetos } from './restore.server.ts'
import type { Cuentas } from './schema.ts'

interface Ensayo {
  /** Folder of the SQL files. */
  migrations: string
  /** A folder with room for the whole database: of the data's disk, since what is called temporary may be memory. */
  lugar: string
  /** What the votes were signed with; undefined: signatures are left out. */
  secreto: string | undefined
  dice(avance: string): void
}

/** What a database takes up of the bytes of its compressed text, and a server of itself. */
const GROWS = 10
const SERVER_BYTES = 150_000_000

/** Whether there is a PostgreSQL here to rehearse with, which the image of a container has not. */
export const puedeEnsayar = (): Promise<boolean> =>
  nativeFolder().then(
    () => true,
    () => false,
  )

/**
 * Puts a copy's database into a server of its own for as long as `work` runs.
 * @throws StartError where there is no room for it, or no PostgreSQL, as in the image of a container
 */
export const withBase = <Done>(
  abierta: CopiaAbierta,
  { migrations, lugar, dice }: Pick<Ensayo, 'migrations' | 'lugar' | 'dice'>,
  work: (pool: pg.Pool, difieren: string[]) => Promise<Done>,
): Promise<Done> =>
  withTemporal(lugar, async (folder) => {
    await assertCabe(folder, abierta)
    const postgres = await startPostgres(join(folder, CLUSTER), dice)
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
 * @returns Spanish sentences for the terminal; empty: it is whole, and restores. And the same in numbers, without names
 * or paths, to be written down
 */
export const ensayar = (
  abierta: CopiaAbierta,
  { migrations, lugar, secreto, dice }: Ensayo,
): Promise<{ fallas: string[]; resumen: string | undefined; aqui: Cuentas }> =>
  withBase(abierta, { migrations, lugar, dice }, async (pool, difieren) => {
    const votos = await recountTodas(openDatabase(pool), secreto === undefined ? undefined : keysOf(secreto))
    dice('Votos: contados otra vez, sello por sello.')
    const bad = await restoreObjetos(abierta, undefined, dice)
    const { perdidos } = abierta.manifiesto
    const cuentas: [number, string][] = [
      [difieren.length, 'tablas que no son las del respaldo'],
      [bad.length, 'archivos que faltan o están dañados'],
      [perdidos.length, 'archivos que ya faltaban cuando se hizo'],
      [votos.length, 'fallas en el recuento de votos'],
    ]
    const resumen = cuentas.flatMap(([count, words]) => (count > 0 ? [`${count} ${words}`] : [])).join(', ')
    return {
      resumen: resumen === '' ? undefined : `${resumen}.`,
      aqui: await countCuentas(pool),
      fallas: [
        ...difieren.map((tabla) => `La tabla ${tabla} no es la del respaldo.`),
        ...bad.map((path) => `Falta o está dañado el archivo ${path}.`),
        ...perdidos.map((path) => `El archivo ${path} ya faltaba cuando se hizo el respaldo.`),
        ...votos,
      ],
    }
  })

async function assertCabe(folder: string, { manifiesto }: CopiaAbierta): Promise<void> {
  if (!(await puedeEnsayar()))
    throw new StartError(
      'Para esto hace falta el PostgreSQL incluido, que esta imagen no trae: repite la orden en una máquina con el paquete del sitio y acceso al respaldo.',
    )
  const needed = manifiesto.tablas.reduce((sum, { guardado }) => sum + guardado.bytes * GROWS, SERVER_BYTES)
  const { bavail, bsize } = await statfs(folder)
  if (bavail * bsize < needed)
    throw new FallaDeCopia(
      `Para esto hacen falta unos ${Math.ceil(needed / 1_000_000)} MB libres en el disco de los datos, y hay ${Math.floor((bavail * bsize) / 1_000_000)}: libera espacio y repite la orden.`,
      'No cupo en el disco de los datos.',
    )
}
