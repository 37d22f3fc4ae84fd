import type pg from 'pg'
import {
  anotaRegreso,
  hayFolio,
  insertInscripcionDeAntes,
  readInscripcionDeAntes,
} from '#app/inscripciones/regreso.server.ts'
import { openDatabase } from '#app/platform/database.server.ts'
import { StartError } from '#app/platform/start-error.server.ts'
import type { ObjectStorage } from '#app/platform/storage.server.ts'
import { quitaSupresion, readClaveDeSupresiones, type Supresion } from '#app/platform/supresiones.server.ts'
import { withBase } from './ensayo.server.ts'
import { type CopiaAbierta, restoreObjetos } from './restaurar.server.ts'

interface Devolucion {
  folio: string
  /** The ledger of deletions; empty: it was said that she may come back all the same. */
  supresiones: readonly Supresion[]
  /** Where else the ledger lies. */
  libros: readonly ObjectStorage[]
  migrations: string
  dice(avance: string): void
}

/**
 * Brings one entry back into the site, whole: its rows, its documents, a line of the log.
 * @throws StartError when it is there, is not in the copy, or asked to be gone
 */
export async function devolverInscripcion(
  abierta: CopiaAbierta,
  sitio: { pool: pg.Pool; storage: ObjectStorage; dataDir: string },
  { folio, supresiones, libros, migrations, dice }: Devolucion,
): Promise<{ documentos: number }> {
  if (await hayFolio(openDatabase(sitio.pool), folio))
    throw new StartError(`La inscripción ${folio} sigue en el sitio: no hay nada que devolver.`)
  const antes = await withBase(abierta, { migrations, dice }, async (pool) => {
    const client = await pool.connect()
    try {
      return await readInscripcionDeAntes(client, folio, await readClaveDeSupresiones(openDatabase(pool)))
    } finally {
      client.release()
    }
  })
  if (!antes)
    throw new StartError(`En el respaldo ${abierta.caratula.id} no hay ninguna inscripción con el folio ${folio}.`)
  const gone = supresiones.find(({ huella }) => huella === antes.huella)
  if (gone)
    throw new StartError(
      `La inscripción ${folio} se borró a solicitud de la persona (${gone.at.slice(0, 10)}), así que no se devuelve. Si se borró por equivocación, o la persona pide volver, repite la orden con --aunque-pidio-irse.`,
    )
  const own = abierta.manifiesto.objetos.filter(
    ({ bucket, path }) => bucket === antes.bucket && antes.carpeta !== '' && path.startsWith(`${antes.carpeta}/`),
  )
  const client = await sitio.pool.connect()
  try {
    await client.query('begin')
    await insertInscripcionDeAntes(client, antes)
    const part = { ...abierta, manifiesto: { ...abierta.manifiesto, objetos: own } }
    const bad = await restoreObjetos(part, sitio, dice)
    if (bad.length > 0) throw new StartError(`No se devolvió nada: al respaldo le faltan archivos suyos (${bad[0]}).`)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    if (error instanceof StartError) throw error
    throw new StartError(`No se devolvió nada: ${(error as Error).message}`)
  } finally {
    client.release()
  }
  await anotaRegreso(sitio.pool, antes.id)
  await quitaSupresion(sitio.dataDir, [abierta.almacen.storage, ...libros], antes.huella)
  return { documentos: own.length }
}
