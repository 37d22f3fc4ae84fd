import { listPlaces } from '#app/cms/publishing/rules.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { hashText } from '#app/voting/chain/block-seal.server.ts'
import { type Eleccion, readReglas } from '#app/voting/election/data.server.ts'
import { isSealed, signSeal } from '#app/voting/election/seal-signature.server.ts'
import { MIN_CAJA } from '#app/voting/record/block-seal.ts'
import type { ActaDeReglas, Apertura } from '#app/voting/record/schema.ts'
import { publicKeyOf } from './record-signature.server.ts'

/**
 * Draws up the act of zero, unless there is one: before the first ballot is sealed, or when an organiser asks for it.
 * @param quien account; null: the site itself
 * @returns whether this call did it
 */
export async function ensureApertura(
  { db, keyed }: Pick<Services, 'db' | 'keyed'>,
  { edicion, candidatas, retiradas = [], cierre, reglas }: Eleccion,
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
    reglas,
    papeletas: 0,
    minimo: MIN_CAJA,
    llave: publicKeyOf({ keyed }),
    lugares: listPlaces({ candidatas, retiradas }),
    levantada: now.toISOString(),
  }
  return drawUp({ db, keyed }, acta, now, quien)
}

/**
 * Publishes the rules of a vote whose act of zero is from before there were any. They mark nothing that was cast
 * earlier.
 */
export async function ensureReglas(
  { db, keyed }: Pick<Services, 'db' | 'keyed'>,
  eleccion: Eleccion,
  now: Date,
): Promise<void> {
  const { reglas, publicadas } = await readReglas(db, eleccion)
  if (publicadas) return
  const acta: ActaDeReglas = { clase: 'reglas', edicion: eleccion.edicion, reglas, levantada: now.toISOString() }
  await drawUp({ db, keyed }, acta, now, null)
}

/** @returns whether there was none before */
async function drawUp(
  { db, keyed }: Pick<Services, 'db' | 'keyed'>,
  acta: Apertura | ActaDeReglas,
  now: Date,
  quien: string | null,
): Promise<boolean> {
  const { clase, edicion } = acta
  const contenido = JSON.stringify(acta)
  const sello = hashText(contenido)
  const firma = signSeal({ keyed }, `${clase} ${edicion} ${sello}`)
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('actas')
    .values({ edicion, clase, contenido, sello, firma, quien, at: now })
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
