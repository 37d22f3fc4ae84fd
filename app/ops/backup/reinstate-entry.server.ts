import type pg from 'pg'
import { openDatabase } from '#app/core/db/database.server.ts'
import {
  anotaRegresoEnLibro,
  keepSupresiones,
  noteSupresiones,
  readClaveDeSupresiones,
  readSupresionesDeBase,
  type Supresion,
  vigentes,
} from '#app/core/db/erasure-log.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import type { ObjectStorage } from '#app/core/storage/object-store.server.ts'
import { seEstaBorrando } from '#app/entries/retention/deletion.server.ts'
import {
  anotaRegreso,
  hayFolio,
  insertInscripcionDeAntes,
  readInscripcionDeAntes,
} from '#app/entries/retention/reinstate.server.ts'
import { withBase } from './rehearsal.server.ts'
import { type CopiaAbierta, restoreObjetos } from './restore.server.ts'

interface Devolucion {
  folio: string
  /** Every line that was found of the ledger of deletions. */
  lineas: readonly Supresion[]
  /** Whether she may come back though she asked to be gone. */
  aunque: boolean
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
  { folio, lineas, aunque, libros, migrations, dice }: Devolucion,
): Promise<{ documentos: number }> {
  const db = openDatabase(sitio.pool)
  if (await hayFolio(db, folio))
    throw new StartError(`La inscripción ${folio} sigue en el sitio: no hay nada que devolver.`)
  const antes = await withBase(abierta, { migrations, lugar: sitio.dataDir, dice }, async (pool) => {
    const client = await pool.connect()
    try {
      return await readInscripcionDeAntes(client, folio, await readClaveDeSupresiones(openDatabase(pool)))
    } finally {
      client.release()
    }
  })
  if (!antes)
    throw new StartError(`En el respaldo ${abierta.caratula.id} no hay ninguna inscripción con el folio ${folio}.`)
  const gone = vigentes(lineas).find(({ huella }) => huella === antes.huella)
  if (gone && !aunque)
    throw new StartError(
      `La inscripción ${folio} se borró a solicitud de la persona (${gone.at.slice(0, 10)}), así que no se devuelve. Si se borró por equivocación, o la persona pide volver, repite la orden con --aunque-pidio-irse.`,
    )
  const own = abierta.manifiesto.objetos.filter(
    ({ bucket, path }) => bucket === antes.bucket && antes.carpeta !== '' && path.startsWith(`${antes.carpeta}/`),
  )
  const client = await sitio.pool.connect()
  try {
    await client.query('begin')
    if (await seEstaBorrando(client, antes.id))
      throw new StartError(
        `El borrado de la inscripción ${folio} todavía no termina: espera a que el sitio en marcha lo acabe, y repite la orden.`,
      )
    await insertInscripcionDeAntes(client, antes)
    // With her, and newer than the line by which she went: no start and no ledger of another process deletes her again.
    if (antes.huella !== '') await anotaRegresoEnLibro(client, antes.huella, lineas)
    const part = { ...abierta, suprimidas: new Set<string>(), manifiesto: { ...abierta.manifiesto, objetos: own } }
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
  const libro = await readSupresionesDeBase(db)
  await noteSupresiones(sitio.dataDir, libro)
  // She is back, and the database says so: what cannot be reached now is told at the site's next look.
  for (const store of [abierta.almacen.storage, ...libros])
    await keepSupresiones(store, libro).catch((error: Error) =>
      dice(`El libro de borrados no se pudo poner al día en un respaldo (${error.message}): el sitio lo hará.`),
    )
  return { documentos: own.length }
}
