import type { Selectable } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import type { Tables } from '#app/core/db/tables.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { isSealSigned, signSeal } from '#app/voting/election/seal-signature.server.ts'

type RecountRow = Selectable<Tables['recuentos']>
type Keys = Pick<Services, 'keyed'>

/** Returns the text that the signature of a recount's stored outcome covers. */
const signedRecountText = (row: Omit<RecountRow, 'firma'>): string =>
  JSON.stringify([
    'recuento',
    row.edicion,
    row.at.toISOString(),
    row.papeletas,
    row.lotes,
    row.ultimo,
    row.anulados,
    row.actas,
    row.cajas,
    row.ultima_caja,
    row.alterado,
    row.fallas,
  ])

export const signRecount = (keys: Keys, row: Omit<RecountRow, 'firma'>): Buffer =>
  signSeal(keys, signedRecountText(row))

export const findLastRecount = (db: Database, edition: number): Promise<RecountRow | undefined> =>
  db.selectFrom('recuentos').selectAll().where('edicion', '=', edition).executeTakeFirst()

/**
 * Returns false if the stored outcome of the last recount was written or deleted without this site, as far as can be told.
 * @param lastRecount the stored outcome; undefined if none is stored
 * @param mayBeUnsigned whether the vote began under an earlier version, which did not sign the row
 * @param mustExist whether the records prove that there was a recount
 */
export function isRecountAuthentic(
  keys: Keys,
  lastRecount: RecountRow | undefined,
  { mayBeUnsigned, mustExist }: { mayBeUnsigned: boolean; mustExist: boolean },
): boolean {
  if (!lastRecount) return !mustExist
  if (lastRecount.firma === null) return mayBeUnsigned
  return isSealSigned(keys, signedRecountText(lastRecount), lastRecount.firma)
}
