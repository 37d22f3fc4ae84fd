import { TERMINAL } from '#app/bitacora/mutations.server.ts'
import { cleanRetiradas } from '#app/edicion/retiro.server.ts'
import { repiteRetiros } from '#app/edicion/retiro-repuesto.server.ts'
import { deleteInscripcion } from '#app/inscripciones/borrado.server.ts'
import { listSuprimidas } from '#app/inscripciones/objetos.server.ts'
import { openPlace } from '#app/platform/open-storage.server.ts'
import type { Services } from '#app/platform/services.server.ts'
import {
  readClaveDeSupresiones,
  readSupresiones,
  readSupresionesOf,
  type Supresion,
} from '#app/platform/supresiones.server.ts'
import { hayVotos } from '#app/popularidad/data.server.ts'
import type { Almacen } from './almacen.server.ts'

/** Every ledger of deletions that can be found: beside the backup, where the site's own backups go, beside the data. */
export async function reuneSupresiones(
  { storage }: Pick<Almacen, 'storage'>,
  places: readonly (string | undefined)[],
  dataDirs: readonly string[],
): Promise<Supresion[]> {
  const found = [await readSupresionesOf(storage)]
  for (const place of new Set(places))
    if (place !== undefined) found.push(await readSupresionesOf(await openPlace(place)))
  for (const dataDir of new Set(dataDirs)) found.push(await readSupresiones(dataDir))
  return [...new Map(found.flat().map((supresion) => [supresion.huella, supresion])).values()]
}

/**
 * Deletes again whoever asked to be gone, from a database that was restored to a moment before; by this site's commands,
 * or by whatever else can put one back.
 * @param root where the made pictures lie
 * @throws when one of them cannot be deleted now: it would be back
 */
export async function repiteSupresiones(
  services: Pick<Services, 'db' | 'storage' | 'clock' | 'log' | 'settings'>,
  supresiones: readonly Supresion[],
  root: string,
): Promise<{ inscripciones: number; candidatas: number }> {
  const clave = await readClaveDeSupresiones(services.db)
  if (!clave || supresiones.length === 0) return { inscripciones: 0, candidatas: 0 }
  const huellas = new Set(supresiones.map(({ huella }) => huella))
  const back = await listSuprimidas(services.db, clave, huellas)
  for (const id of back) {
    const hecho = await deleteInscripcion(services, id, 'solicitud', TERMINAL)
    if (hecho.ok && hecho.pendiente)
      throw new Error(
        `La inscripción ${id} pidió irse y no se pudo borrar otra vez: repite la orden en un lugar vacío.`,
      )
  }
  const votes = (edicion: number) => hayVotos(services.db, edicion)
  const candidatas = await repiteRetiros(services, clave, huellas, votes, TERMINAL)
  if (candidatas > 0) await cleanRetiradas(services, root)
  return { inscripciones: back.length, candidatas }
}
