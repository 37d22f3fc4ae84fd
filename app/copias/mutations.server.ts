import { type Database, openDatabase } from '#app/platform/database.server.ts'
import type { Almacen } from './almacen.server.ts'
import { type CopiaHecha, type OpcionesDeRespaldo, respaldar, type SitioPorCopiar } from './respaldar.server.ts'

/**
 * Makes a copy, and writes down in the site's own database what became of it, for those who watch over it.
 * @throws what kept it from being made, which is written down as well
 */
export async function hacerCopia(
  sitio: SitioPorCopiar,
  almacen: Almacen,
  opciones: OpcionesDeRespaldo,
): Promise<CopiaHecha> {
  const db = openDatabase(sitio.pool)
  const begun = new Date()
  try {
    const hecha = await respaldar(sitio, almacen, opciones)
    const { id, bytes, objetos, perdidos } = hecha
    await db
      .insertInto('copias')
      .values({
        ...{ copia: id, destino: almacen.nombre, empezada_at: begun, hecha_at: new Date(), bytes, objetos },
        falla: perdidos.length === 0 ? null : `Faltan ${perdidos.length} archivos que la base de datos nombra.`,
      })
      .execute()
    return hecha
  } catch (error) {
    const falla = error instanceof Error ? error.message : String(error)
    const copia = `falla-${begun.toISOString()}`
    await db
      .insertInto('copias')
      .values({ copia, destino: almacen.nombre, empezada_at: begun, falla })
      .onConflict((one) => one.doNothing())
      .execute()
      .catch(() => {})
    throw error
  }
}

/** Writes down that a copy was restored in rehearsal, where the site knows of it. @param falla what differed */
export async function anotarEnsayo(db: Database, copia: string, falla: string | undefined): Promise<void> {
  await db
    .updateTable('copias')
    .set({ ensayada_at: new Date(), ensayo_falla: falla ?? null })
    .where('copia', '=', copia)
    .execute()
}
