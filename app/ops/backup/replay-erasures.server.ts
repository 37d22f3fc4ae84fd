import { readdir } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { TERMINAL } from '#app/audit/mutations.server.ts'
import { cleanRetiradas } from '#app/cms/publishing/withdrawal.server.ts'
import { repiteRetiros } from '#app/cms/publishing/withdrawal-replay.server.ts'
import {
  insertSupresiones,
  readClaveDeSupresiones,
  readSupresiones,
  readSupresionesDeBase,
  readSupresionesOf,
  type Supresion,
  unidas,
  vigentes,
} from '#app/core/db/erasure-log.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { openPlace } from '#app/core/storage/open-store.server.ts'
import { deleteInscripcion } from '#app/entries/retention/deletion.server.ts'
import { listSuprimidas } from '#app/entries/retention/stored-objects.server.ts'
import { hayVotos } from '#app/voting/election/data.server.ts'
import type { Almacen } from './store.server.ts'

/** Ledgers that may be there: whether each was, what could not be read of it, and all their lines, each once. */
export interface Libros {
  lineas: Supresion[]
  /** Where there were lines, and how many. */
  encontrados: { donde: string; lineas: number }[]
  /** Spanish sentences, to be said. */
  avisos: string[]
}

/**
 * Every ledger of deletions that can be found: beside the backup, where the site's own backups go, beside the data, and
 * in data folders that somebody put aside under the same name (`/var/lib/certamen.antes`). What cannot be reached or read
 * is said, and keeps nothing from going on.
 */
export async function reuneSupresiones(
  { nombre, storage }: Pick<Almacen, 'nombre' | 'storage'>,
  places: readonly (string | undefined)[],
  dataDirs: readonly string[],
): Promise<Libros> {
  const avisos: string[] = []
  const found: { donde: string; lineas: Supresion[] }[] = []
  const mala = (name: string) =>
    avisos.push(`El libro de borrados tiene un archivo que no es suyo, y no se usó: ${name}.`)
  const take = async (donde: string, read: () => Promise<Supresion[]>) => {
    try {
      found.push({ donde, lineas: await read() })
    } catch (error) {
      avisos.push(`No se pudo leer el libro de borrados de ${donde}: ${(error as Error).message}`)
    }
  }
  await take(nombre, () => readSupresionesOf(storage, mala))
  for (const place of new Set(places))
    if (place !== undefined) await take('BACKUP_URL', async () => readSupresionesOf(await openPlace(place), mala))
  for (const dataDir of new Set((await Promise.all(dataDirs.map(andThoseAside))).flat()))
    await take(dataDir, () => readSupresiones(dataDir, mala))
  return {
    lineas: unidas(...found.map(({ lineas }) => lineas)),
    encontrados: found
      .filter(({ lineas }) => lineas.length > 0)
      .map(({ donde, lineas }) => ({ donde, lineas: lineas.length })),
    avisos,
  }
}

/** A data folder, and those beside it whose name goes on behind its own: somebody put them aside. */
async function andThoseAside(dataDir: string): Promise<string[]> {
  const own = resolve(dataDir)
  const names = await readdir(dirname(own)).catch((): string[] => [])
  const aside = names.filter(
    (name) => /^[.\-_]/.test(name.slice(basename(own).length)) && name.startsWith(basename(own)),
  )
  return [own, ...aside.map((name) => join(dirname(own), name))]
}

/** What the ledger said, for whoever restores: how many lines, how new, and where; a warning where there was none. */
export function librosEnPalabras({ lineas, encontrados, avisos }: Libros): string[] {
  const newest = lineas
    .map(({ at }) => at)
    .toSorted()
    .at(-1)
  const said =
    newest === undefined
      ? 'No se encontró ningún libro de borrados: si después del respaldo alguien pidió irse, vuelve con él. Si la carpeta de datos de antes existe, copia su carpeta «supresiones» a la nueva y arranca: el sitio la borra otra vez.'
      : `Libro de borrados: ${lineas.length} renglones, el más nuevo del ${newest.slice(0, 16).replace('T', ' a las ')} UTC (${encontrados.map((one) => `${one.donde}: ${one.lineas}`).join('; ')}).`
  return [...avisos, said]
}

/** What came of going through the ledger. */
export interface Repeticion {
  inscripciones: number
  candidatas: number
  /** Entries whose deletion is written down and could not come to its end: the sweep tries again. */
  pendientes: number[]
}

/**
 * Deletes again whoever asked to be gone, from a database that was restored to a moment before; by this site's commands,
 * or by whatever else can put one back. What cannot be deleted now is hidden and left to the sweep.
 * @param lineas what was found of the ledger outside of the database
 * @param root where the made pictures lie
 */
export async function repiteSupresiones(
  services: Pick<Services, 'db' | 'storage' | 'clock' | 'log' | 'settings'>,
  lineas: readonly Supresion[],
  root: string,
): Promise<Repeticion> {
  const { db, log } = services
  const clave = await readClaveDeSupresiones(db)
  if (!clave) return { inscripciones: 0, candidatas: 0, pendientes: [] }
  await insertSupresiones(db, lineas)
  // In one view of the database: whoever is there because she came back has her line there, too.
  const { back, huellas } = await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      const gone = new Set(vigentes(await readSupresionesDeBase(tx)).map(({ huella }) => huella))
      return { huellas: gone, back: gone.size === 0 ? [] : await listSuprimidas(tx, clave, gone) }
    })
  if (huellas.size === 0) return { inscripciones: 0, candidatas: 0, pendientes: [] }
  const pendientes: number[] = []
  for (const id of back) {
    const hecho = await deleteInscripcion(services, id, 'solicitud', TERMINAL)
    if (hecho.ok && hecho.pendiente) pendientes.push(id)
  }
  const votes = (edicion: number) => hayVotos(db, edicion)
  const candidatas = await repiteRetiros(services, clave, huellas, votes, TERMINAL)
  if (candidatas > 0)
    // What the storage does not let go now is tried again with every publication and start.
    await cleanRetiradas(services, root).catch((error: unknown) =>
      log.error({ err: error }, 'what there is of withdrawn candidates could not be removed yet'),
    )
  return { inscripciones: back.length, candidatas, pendientes }
}
