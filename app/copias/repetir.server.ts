import type pg from 'pg'
import { TERMINAL } from '#app/bitacora/mutations.server.ts'
import { cleanRetiradas } from '#app/edicion/retiro.server.ts'
import { repiteRetiros } from '#app/edicion/retiro-repuesto.server.ts'
import { deleteInscripcion } from '#app/inscripciones/borrado.server.ts'
import { listOlvidadas } from '#app/inscripciones/objetos.server.ts'
import { fixText, readTablas, sumOf } from '#app/platform/copia-de-base.server.ts'
import { type Olvido, readClaveDeOlvidos, readOlvidos, readOlvidosOf } from '#app/platform/olvidos.server.ts'
import { openPlace } from '#app/platform/open-storage.server.ts'
import type { Services } from '#app/platform/services.server.ts'
import { hayVotos } from '#app/popularidad/data.server.ts'
import type { Almacen } from './almacen.server.ts'
import { CUENTAS, type Cuentas, cuentasDe } from './schema.ts'

/** Every ledger of deletions that can be found: beside the backup, where the site's own backups go, beside the data. */
export async function reuneOlvidos(
  { storage }: Pick<Almacen, 'storage'>,
  places: readonly (string | undefined)[],
  dataDirs: readonly string[],
): Promise<Olvido[]> {
  const found = [await readOlvidosOf(storage)]
  for (const place of new Set(places)) if (place !== undefined) found.push(await readOlvidosOf(await openPlace(place)))
  for (const dataDir of new Set(dataDirs)) found.push(await readOlvidos(dataDir))
  return [...new Map(found.flat().map((olvido) => [olvido.huella, olvido])).values()]
}

/**
 * Deletes again whoever asked to be gone after the copy was made, from a database that was just restored.
 * @param root where the made pictures lie
 * @throws when one of them cannot be deleted now: it would be back
 */
export async function repiteOlvidos(
  services: Pick<Services, 'db' | 'storage' | 'clock' | 'log' | 'settings'>,
  pool: pg.Pool,
  olvidos: readonly Olvido[],
  root: string,
): Promise<{ inscripciones: number; candidatas: number }> {
  const clave = await readClaveDeOlvidos(pool)
  if (!clave || olvidos.length === 0) return { inscripciones: 0, candidatas: 0 }
  const huellas = new Set(olvidos.map(({ huella }) => huella))
  const back = await listOlvidadas(pool, clave, huellas)
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

/** Rows of what people ask about, as they are now. */
export async function countCuentas(pool: pg.Pool): Promise<Cuentas> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await fixText(client)
    const tablas = await readTablas(client)
    const filas: { nombre: string; filas: number }[] = []
    for (const { tabla } of CUENTAS) {
      const found = tablas.find(({ nombre }) => nombre === tabla)
      if (found) filas.push({ nombre: tabla, filas: (await sumOf(client, found)).filas })
    }
    return cuentasDe(filas)
  } finally {
    await client.query('rollback').catch(() => {})
    client.release()
  }
}
