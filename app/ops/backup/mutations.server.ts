import { readReloj } from '#app/core/db/clock-guard.server.ts'
import { type Database, openDatabase } from '#app/core/db/database.server.ts'
import { readClaveDeSupresiones } from '#app/core/db/erasure-log.server.ts'
import { type CopiaHecha, type OpcionesDeRespaldo, respaldar, type SitioPorCopiar } from './create.server.ts'
import { listIntentos } from './data.server.ts'
import { motivoDeFalla, OtraEnCurso } from './fault.server.ts'
import { huellaDeDestino, nombreDeDestino } from './identity.server.ts'
import { openAlmacen } from './store.server.ts'

/** Where copies go, and what they are encrypted with. */
export interface Destino {
  destino: string
  clave: string | undefined
}

/**
 * Makes a copy, and writes down in the site's own database what became of it, for those who watch over it.
 * @throws what kept it from being made, which is written down as well, without paths and values
 */
export async function hacerCopia(
  sitio: SitioPorCopiar,
  { destino, clave }: Destino,
  opciones: OpcionesDeRespaldo,
): Promise<CopiaHecha & { destino: string }> {
  const db = openDatabase(sitio.pool)
  const begun = new Date()
  const donde = { destino: nombreDeDestino(destino), destino_huella: await huellaDe(db, destino) }
  try {
    const almacen = await openAlmacen(destino, clave, { espera: sitio.dataDir })
    // What a rehearsal found damaged is sent again.
    const last = (await listIntentos(db, destino)).find(({ ensayada_at }) => ensayada_at)
    const repasar = opciones.repasar ?? Boolean(last?.ensayo_falla)
    const hecha = await respaldar(sitio, almacen, { ...opciones, repasar })
    const { id, bytes, objetos, perdidos, avisos } = hecha
    if (!(await readReloj(db)).adelantado) await forgetFuture(db, begun)
    await db
      .insertInto('copias')
      .values({
        ...{ copia: id, ...donde, empezada_at: begun, hecha_at: new Date(), bytes, objetos },
        falla: perdidos.length === 0 ? null : `Faltan ${perdidos.length} archivos que la base de datos nombra.`,
        aviso: avisos.length === 0 ? null : avisos.join(' '),
      })
      .execute()
    return { ...hecha, destino: almacen.nombre }
  } catch (error) {
    if (!(error instanceof OtraEnCurso))
      await db
        .insertInto('copias')
        .values({ copia: `falla-${begun.toISOString()}`, ...donde, empezada_at: begun, falla: motivoDeFalla(error) })
        .onConflict((one) => one.doNothing())
        .execute()
        .catch(() => {})
    throw error
  }
}

async function huellaDe(db: Database, destino: string): Promise<string | null> {
  const clave = await readClaveDeSupresiones(db)
  return clave ? huellaDeDestino(clave, destino) : null
}

/** What a clock that ran ahead wrote counts for nothing, once a copy was made by one that is right. */
async function forgetFuture(db: Database, now: Date): Promise<void> {
  const falla = 'Se hizo con el reloj del servidor adelantado: no cuenta.'
  const later = new Date(now.getTime() + 5 * 60_000)
  await db
    .updateTable('copias')
    .set({ empezada_at: now, hecha_at: null, ensayada_at: null, ensayo_falla: null, falla })
    .where((eb) => eb.or([eb('empezada_at', '>', later), eb('hecha_at', '>', later)]))
    .execute()
  await db
    .updateTable('copias')
    .set({ ensayada_at: null, ensayo_falla: null })
    .where('ensayada_at', '>', later)
    .execute()
}

/**
 * Writes down that a copy was restored in rehearsal, where the site knows of it.
 * @param destino the place it was read from: a rehearsal elsewhere says nothing of the site's own copies
 * @param copia undefined: none could be opened, so that the newest there is the one that failed
 * @param falla what differed, without names or paths
 */
export async function anotarEnsayo(
  db: Database,
  destino: string,
  copia: string | undefined,
  falla: string | undefined,
): Promise<void> {
  const there = (await listIntentos(db, destino)).filter(({ hecha_at }) => hecha_at)
  const rehearsed = there.find((one) => one.copia === copia) ?? (falla === undefined ? undefined : there[0])
  if (!rehearsed) return
  await db
    .updateTable('copias')
    .set({ ensayada_at: new Date(), ensayo_falla: falla ?? null })
    .where('copia', '=', rehearsed.copia)
    .execute()
}
