import { listCandidatePlaces } from '#app/cms/publishing/rules.ts'
import type { Services } from '#app/core/http/services.server.ts'
import type { Election } from '#app/voting/election/data.server.ts'
import { isSealSigned } from '#app/voting/election/seal-signature.server.ts'
import { MIN_BLOCK_BALLOTS } from '#app/voting/record/block-seal.ts'
import type { OpeningRecord } from '#app/voting/record/schema.ts'
import { readRecord } from './data.server.ts'
import { publicKeyOf, sealRecord } from './record-signature.server.ts'

/**
 * Draws up the opening record unless it exists. This function is called when a vote with a stated opening opens, before ballots are
 * sealed, before the vote is closed, and at an organiser's request.
 * @param accountId the organiser's account; null if the site itself draws up the record
 * @returns whether this call drew the record up
 */
export async function ensureOpeningRecord(
  { db, keyed }: Pick<Services, 'db' | 'keyed'>,
  { edicion, candidatas, retiradas = [], cierre, reglas }: Election,
  now: Date,
  accountId: string | null,
): Promise<boolean> {
  if (await readRecord(db, edicion, 'apertura')) return false
  // The given election may be older than the opening in force, which the record states.
  const edition = await db
    .selectFrom('ediciones')
    .select('abre_votacion')
    .where('anio', '=', edicion)
    .executeTakeFirst()
  const opening = edition?.abre_votacion
  const record: OpeningRecord = {
    clase: 'apertura',
    edicion,
    candidatas: candidatas.map(({ nombre }) => nombre),
    ...(opening && { abre: opening.toISOString() }),
    cierre,
    reglas,
    papeletas: 0,
    minimo: MIN_BLOCK_BALLOTS,
    llave: publicKeyOf({ keyed }),
    lugares: listCandidatePlaces({ candidatas, retiradas }),
    levantada: now.toISOString(),
  }
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('actas')
    .values({ edicion, clase: 'apertura', ...sealRecord({ keyed }, record), quien: accountId, at: now })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/**
 * Returns whether this process may seal the votes of an edition: the vote has no opening record yet, has its closing record, or has
 * an opening record that is signed with this process's key. With another key, the process would set all votes apart as foreign.
 */
export async function maySealWithOwnKey(
  { db, keyed }: Pick<Services, 'db' | 'keyed'>,
  edition: number,
): Promise<boolean> {
  const opening = await readRecord(db, edition, 'apertura')
  if (!opening || (await readRecord(db, edition, 'cierre'))) return true
  return isSealSigned({ keyed }, `apertura ${edition} ${opening.sello}`, opening.firma)
}
