import type { Selectable } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import type { Tables } from '#app/core/db/tables.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { isSealSigned, signSeal } from '#app/voting/election/seal-signature.server.ts'

type RecountRow = Selectable<Tables['recuentos']>
type Keys = Pick<Services, 'keyed'>

const recountText = (one: Omit<RecountRow, 'firma'>): string =>
  JSON.stringify([
    'recuento',
    one.edicion,
    one.at.toISOString(),
    one.papeletas,
    one.lotes,
    one.ultimo,
    one.anulados,
    one.actas,
    one.cajas,
    one.ultima_caja,
    one.alterado,
    one.fallas,
  ])

export const signRecount = (keys: Keys, one: Omit<RecountRow, 'firma'>): Buffer => signSeal(keys, recountText(one))

export const lastRecount = (db: Database, edition: number): Promise<RecountRow | undefined> =>
  db.selectFrom('recuentos').selectAll().where('edicion', '=', edition).executeTakeFirst()

/**
 * Returns whether the stored outcome of the last recount is as this site wrote it.
 * @param before the stored outcome; undefined: there is none
 * @param mayBeUnsigned the vote began under an earlier version, which did not sign the row
 * @param mustBe the records say that there was a recount
 */
export function isAsCounted(
  keys: Keys,
  before: RecountRow | undefined,
  { mayBeUnsigned, mustBe }: { mayBeUnsigned: boolean; mustBe: boolean },
): boolean {
  if (!before) return !mustBe
  if (before.firma === null) return mayBeUnsigned
  return isSealSigned(keys, recountText(before), before.firma)
}
