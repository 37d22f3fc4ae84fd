import { createHash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { endJudgeSessions, saveJudgeAccount } from '#app/accounts/people/judges.server.ts'
import { type Actor, writeAuditLog } from '#app/audit/mutations.server.ts'
import { ADVISORY_LOCKS } from '#app/core/db/advisory-locks.ts'
import { typedText } from '#app/core/text/typed-text.ts'
import { HOUR_MS } from '#app/core/time/durations.ts'
import { appendUncheckedEntry, type FinalServices } from './append-record-entry.server.ts'
import { loadForOpening, readFinalRecord } from './data.server.ts'
import type { RecordEntryOf } from './record-entries.ts'
import { refusalOfEntry } from './record-entry-rules.ts'

/** Lifetime of a link from the coronation's start or, if later, from the link's creation. */
const LINK_LIFETIME_MS = 12 * HOUR_MS

export const linkExpiryOf = (coronation: Date, now: Date): Date =>
  new Date(Math.max(coronation.getTime(), now.getTime()) + LINK_LIFETIME_MS)

const sha256Hex = (key: string) => createHash('sha256').update(key).digest('hex')

const MAX_NAME_LENGTH = 60

const toJudgeName = (typedName: string, judge: number) =>
  typedText(typedName.replace(/[\p{Cc}\u2028\u2029\s]+/gu, ' ')).slice(0, MAX_NAME_LENGTH) || `Jurado ${judge}`

/**
 * Saves the typed names of the judges, with or without a link, unless the final is open or sealed. Ignores places that the jury
 * does not have.
 */
export async function saveJudgeNames(
  services: FinalServices,
  nameByJudge: ReadonlyMap<number, unknown>,
): Promise<void> {
  if (nameByJudge.size === 0) return
  const { edition, rules } = await loadForOpening()
  const rows = Array.from({ length: rules.jueces }, (_, index) => index + 1).flatMap((judge) => {
    const typedName = nameByJudge.get(judge)
    return typeof typedName === 'string'
      ? [{ edicion: edition, numero: judge, nombre: toJudgeName(typedName, judge) }]
      : []
  })
  if (rows.length === 0 || (await readFinalRecord(services, edition)).state.final) return
  await services.db
    .insertInto('jueces')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['edicion', 'numero']).doUpdateSet(({ ref }) => ({ nombre: ref('excluded.nombre') })),
    )
    .execute()
}

/**
 * Creates a judge's link, which signs one telephone in, and revokes the judge's earlier link and telephone.
 * @returns the link's key, of which only the hash is stored; undefined if the jury has no such place
 */
export async function makeJudgeLink(
  services: FinalServices,
  { judgeNumber, typedName }: { judgeNumber: number; typedName: string },
  actor: Actor,
): Promise<{ key: string } | undefined> {
  const { db, clock } = services
  const { edition, rules, coronation } = await loadForOpening()
  if (!Number.isInteger(judgeNumber) || judgeNumber < 1 || judgeNumber > rules.jueces) return undefined
  const judgeName = toJudgeName(typedName, judgeNumber)
  const key = randomBytes(24).toString('base64url')
  const now = clock.now()
  const expiresAt = linkExpiryOf(coronation, now)
  await db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.appendFinalRecord}, ${edition}::int)`.execute(tx)
    const earlierJudge = await tx
      .selectFrom('jueces')
      .select('user_id')
      .where('edicion', '=', edition)
      .where('numero', '=', judgeNumber)
      .executeTakeFirst()
    const nickname = `jurado-${judgeNumber}-${edition}`
    const accountId = await saveJudgeAccount(tx, {
      accountId: earlierJudge?.user_id ?? null,
      nickname,
      name: judgeName,
      validUntil: expiresAt,
    })
    const judgeColumns = {
      nombre: judgeName,
      user_id: accountId,
      huella: sha256Hex(key),
      vence_at: expiresAt,
      usado_at: null,
      usado_por: null,
    }
    await tx
      .insertInto('jueces')
      .values({ edicion: edition, numero: judgeNumber, ...judgeColumns })
      .onConflict((conflict) => conflict.columns(['edicion', 'numero']).doUpdateSet(judgeColumns))
      .execute()
    await recordPhoneChange({ ...services, db: tx }, edition, { juez: judgeNumber, hecho: 'enlace-nuevo' }, actor)
    await writeAuditLog(tx, actor, { que: 'final.enlace', edicion: edition, sobre: `Jurado ${judgeNumber}` })
  })
  return { key }
}

/**
 * Records the change of a judge's telephone while a final is open, since the person who made the new link could sign in the
 * judge's place. Does nothing if the record was altered.
 */
async function recordPhoneChange(
  services: FinalServices,
  edition: number,
  change: Pick<RecordEntryOf<'telefono'>, 'juez' | 'hecho'>,
  actor: Actor,
): Promise<void> {
  const record = await readFinalRecord(services, edition)
  const phoneEntry = { clase: 'telefono' as const, ...change }
  if (record.firstAltered !== undefined || refusalOfEntry(record.state, phoneEntry)) return
  await appendUncheckedEntry(services, edition, record, phoneEntry, { actor })
}

/** Revokes a judge's link, and signs the telephone out that redeemed it. */
export async function revokePhone(
  services: FinalServices,
  edition: number,
  judge: number,
  actor: Actor,
): Promise<void> {
  await services.db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.appendFinalRecord}, ${edition}::int)`.execute(tx)
    const row = await tx
      .updateTable('jueces')
      .set({ huella: null })
      .where('edicion', '=', edition)
      .where('numero', '=', judge)
      .returning('user_id')
      .executeTakeFirst()
    if (row?.user_id) await endJudgeSessions(tx, [row.user_id])
    await recordPhoneChange({ ...services, db: tx }, edition, { juez: judge, hecho: 'cerrado' }, actor)
    await writeAuditLog(tx, actor, { que: 'final.enlace.retirado', edicion: edition, sobre: `Jurado ${judge}` })
  })
}

export type LinkRefusal = 'desconocido' | 'usado' | 'vencido'

/**
 * Redeems a judge's link, which signs one telephone in.
 * @param deviceId id of the telephone, which may redeem the link again after a lost answer
 * @returns the judge's account, or a refusal for a link that is unknown, expired or redeemed by another telephone
 */
export async function redeemJudgeLink(
  { db, clock }: FinalServices,
  key: string,
  deviceId: string,
): Promise<{ ok: true; userId: string } | { ok: false; reason: LinkRefusal }> {
  const [keyHash, deviceHash, now] = [sha256Hex(key), sha256Hex(deviceId), clock.now()]
  // The update is atomic, so of two concurrent telephones only one finds the link unused.
  const redemption = await db
    .updateTable('jueces')
    .set({ usado_at: now, usado_por: deviceHash })
    .where('huella', '=', keyHash)
    .where('vence_at', '>', now)
    .where((eb) => eb.or([eb('usado_at', 'is', null), eb('usado_por', '=', deviceHash)]))
    .returning('user_id')
    .executeTakeFirst()
  if (redemption?.user_id) return { ok: true, userId: redemption.user_id }
  const row = await db.selectFrom('jueces').select('vence_at').where('huella', '=', keyHash).executeTakeFirst()
  if (!row) return { ok: false, reason: 'desconocido' }
  return { ok: false, reason: row.vence_at && row.vence_at > now ? 'usado' : 'vencido' }
}
