import { createHash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { endJudgeSessions, makeJudgeAccount } from '#app/accounts/people/judges.server.ts'
import { type Actor, writeAuditLog } from '#app/audit/mutations.server.ts'
import { ADVISORY_LOCKS } from '#app/core/db/advisory-locks.ts'
import { typedText } from '#app/core/text/typed-text.ts'
import { HOUR_MS } from '#app/core/time/durations.ts'
import { appendEntry, type Site } from './append-record-entry.server.ts'
import { loadForOpening, readRecord } from './data.server.ts'
import type { RecordEntryOf } from './record-entries.ts'
import { refusalOf } from './record-entry-rules.ts'

/** A link holds for this many milliseconds after the coronation begins, or after the link was made, whichever is later. */
const EVENING_MS = 12 * HOUR_MS

/** Returns when links that are made now expire. */
export const eveningEnd = (coronation: Date, now: Date): Date =>
  new Date(Math.max(coronation.getTime(), now.getTime()) + EVENING_MS)

const hashOf = (key: string) => createHash('sha256').update(key).digest('hex')

const MAX_NAME_LENGTH = 60

const toJudgeName = (typed: string, judge: number) =>
  typedText(typed.replace(/[\p{Cc}\u2028\u2029\s]+/gu, ' ')).slice(0, MAX_NAME_LENGTH) || `Jurado ${judge}`

/**
 * Saves the names that were typed for the jury's places, with or without a link, until the final is open. Places that the jury
 * lacks are skipped.
 */
export async function saveJudgeNames(services: Site, names: ReadonlyMap<number, unknown>): Promise<void> {
  if (names.size === 0) return
  const { edition, rules } = await loadForOpening()
  const rows = Array.from({ length: rules.jueces }, (_, at) => at + 1).flatMap((judge) => {
    const typed = names.get(judge)
    return typeof typed === 'string' ? [{ edicion: edition, numero: judge, nombre: toJudgeName(typed, judge) }] : []
  })
  if (rows.length === 0 || (await readRecord(services, edition)).state.final) return
  await services.db
    .insertInto('jueces')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['edicion', 'numero']).doUpdateSet(({ ref }) => ({ nombre: ref('excluded.nombre') })),
    )
    .execute()
}

/**
 * Makes a judge's link, which opens one telephone, and revokes the judge's earlier link and telephone.
 * @returns the link's key, of which only the hash is stored; undefined where the jury has no such place
 */
export async function makeJudgeLink(
  services: Site,
  { juez, nombre }: { juez: number; nombre: string },
  actor: Actor,
): Promise<{ key: string } | undefined> {
  const { db, clock } = services
  const { edition, rules, coronation } = await loadForOpening()
  if (!Number.isInteger(juez) || juez < 1 || juez > rules.jueces) return undefined
  const judgeName = toJudgeName(nombre, juez)
  const key = randomBytes(24).toString('base64url')
  const now = clock.now()
  const expiresAt = eveningEnd(coronation, now)
  await db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.appendFinalRecord}, ${edition}::int)`.execute(tx)
    const earlierJudge = await tx
      .selectFrom('jueces')
      .select('user_id')
      .where('edicion', '=', edition)
      .where('numero', '=', juez)
      .executeTakeFirst()
    const nickname = `jurado-${juez}-${edition}`
    const account = await makeJudgeAccount(tx, {
      accountId: earlierJudge?.user_id ?? null,
      nickname,
      name: judgeName,
      validUntil: expiresAt,
    })
    const fields = {
      nombre: judgeName,
      user_id: account,
      huella: hashOf(key),
      vence_at: expiresAt,
      usado_at: null,
      usado_por: null,
    }
    await tx
      .insertInto('jueces')
      .values({ edicion: edition, numero: juez, ...fields })
      .onConflict((conflict) => conflict.columns(['edicion', 'numero']).doUpdateSet(fields))
      .execute()
    await noteTelephone({ ...services, db: tx }, edition, { juez, hecho: 'enlace-nuevo' }, actor)
    await writeAuditLog(tx, actor, { que: 'final.enlace', edicion: edition, sobre: `Jurado ${juez}` })
  })
  return { key }
}

/**
 * Records that a judge's telephone changes while a final is open, because the maker of another link could sign in the
 * judge's place. An altered record takes no further entry.
 */
async function noteTelephone(
  services: Site,
  edition: number,
  change: Pick<RecordEntryOf<'telefono'>, 'juez' | 'hecho'>,
  actor: Actor,
): Promise<void> {
  const record = await readRecord(services, edition)
  const phoneEntry = { clase: 'telefono' as const, ...change }
  if (record.firstAltered !== undefined || refusalOf(record.state, phoneEntry)) return
  await appendEntry(services, edition, record, phoneEntry, { actor })
}

/** Revokes a judge's telephone and link without making a new link. */
export async function closePhone(services: Site, edition: number, judge: number, actor: Actor): Promise<void> {
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
    await noteTelephone({ ...services, db: tx }, edition, { juez: judge, hecho: 'cerrado' }, actor)
    await writeAuditLog(tx, actor, { que: 'final.enlace.retirado', edicion: edition, sobre: `Jurado ${judge}` })
  })
}

export type LinkRefusal = 'desconocido' | 'usado' | 'vencido'

/**
 * Redeems a judge's link, which opens one telephone.
 * @param device the telephone's id: the same telephone may redeem the link again after a lost answer
 * @returns the judge's account
 */
export async function redeemJudgeLink(
  { db, clock }: Site,
  key: string,
  device: string,
): Promise<{ ok: true; userId: string } | { ok: false; reason: LinkRefusal }> {
  const [fingerprint, deviceHash, now] = [hashOf(key), hashOf(device), clock.now()]
  // One atomic update redeems the link: of two concurrent telephones, only one finds the link unused.
  const redemption = await db
    .updateTable('jueces')
    .set({ usado_at: now, usado_por: deviceHash })
    .where('huella', '=', fingerprint)
    .where('vence_at', '>', now)
    .where((eb) => eb.or([eb('usado_at', 'is', null), eb('usado_por', '=', deviceHash)]))
    .returning('user_id')
    .executeTakeFirst()
  if (redemption?.user_id) return { ok: true, userId: redemption.user_id }
  const row = await db.selectFrom('jueces').select('vence_at').where('huella', '=', fingerprint).executeTakeFirst()
  if (!row) return { ok: false, reason: 'desconocido' }
  return { ok: false, reason: row.vence_at && row.vence_at > now ? 'usado' : 'vencido' }
}
