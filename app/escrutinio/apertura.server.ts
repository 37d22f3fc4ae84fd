import type { Services } from '#app/platform/services.server.ts'
import type { Eleccion } from '#app/popularidad/data.server.ts'
import type { Apertura } from './actas.server.ts'
import { hashText } from './cadena.server.ts'
import { isSealed, signSeal } from './sello.server.ts'

/**
 * Draws up the act of zero, unless there is one: before the first ballot is sealed, or when an organiser asks for it.
 * @param quien account; null: the site itself
 * @returns whether this call did it
 */
export async function ensureApertura(
  { db, keyed }: Pick<Services, 'db' | 'keyed'>,
  { edicion, candidatas, cierre }: Eleccion,
  now: Date,
  quien: string | null,
): Promise<boolean> {
  const there = db.selectFrom('actas').select('sello').where('edicion', '=', edicion).where('clase', '=', 'apertura')
  if (await there.executeTakeFirst()) return false
  const acta: Apertura = {
    clase: 'apertura',
    edicion,
    candidatas: candidatas.map(({ nombre }) => nombre),
    cierre,
    papeletas: 0,
    levantada: now.toISOString(),
  }
  const contenido = JSON.stringify(acta)
  const sello = hashText(contenido)
  const firma = signSeal({ keyed }, `apertura ${edicion} ${sello}`)
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('actas')
    .values({ edicion, clase: 'apertura', contenido, sello, firma, quien, at: now })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/**
 * Whether the vote under way was begun with this process's key. Processes with different keys would set each other's
 * votes apart as written without the site.
 */
export async function isOwnVote({ db, keyed }: Pick<Services, 'db' | 'keyed'>, edicion: number): Promise<boolean> {
  const actas = await db
    .selectFrom('actas')
    .select(['clase', 'sello', 'firma'])
    .where('edicion', '=', edicion)
    .execute()
  const apertura = actas.find(({ clase }) => clase === 'apertura')
  if (!apertura || actas.some(({ clase }) => clase === 'cierre')) return true
  return isSealed({ keyed }, `apertura ${edicion} ${apertura.sello}`, apertura.firma)
}
