import { randomBytes, randomUUID } from 'node:crypto'
import type { Database } from '#app/core/db/database.server.ts'

/** Domain of the judges' addresses, to which no mail can be delivered (RFC 2606): a judge has neither mailbox nor password. */
const JUDGE_EMAIL_DOMAIN = 'jurado.invalid'

/**
 * Makes the account of a judge, or changes the name and the end of an existing account, whose sessions end. An account that was
 * deactivated, as from the terminal, is active again.
 * @param judge `accountId`: of the existing account, null for a new account; `nickname`: beginning of the address in the audit
 *   log, of letters, digits and hyphens; `validUntil`: by the site's clock
 * @returns the account's id
 */
export async function saveJudgeAccount(
  tx: Database,
  {
    accountId,
    nickname,
    name,
    validUntil,
  }: { accountId: string | null; nickname: string; name: string; validUntil: Date },
): Promise<string> {
  if (accountId !== null) {
    await tx
      .updateTable('profiles')
      .set({ name, vigente_hasta: validUntil, baja_at: null, updated_at: new Date() })
      .where('id', '=', accountId)
      .where('role', '=', 'jurado')
      .execute()
    await endJudgeSessions(tx, [accountId])
    return accountId
  }
  const id = randomUUID()
  const email = `${nickname}-${randomBytes(3).toString('hex')}@${JUDGE_EMAIL_DOMAIN}`
  await tx
    .insertInto('profiles')
    .values({
      id,
      name,
      email,
      email_verified: false,
      role: 'jurado',
      medio: null,
      vigente_hasta: validUntil,
      baja_at: null,
    })
    .execute()
  return id
}

export async function endJudgeSessions(tx: Database, accountIds: readonly string[]): Promise<void> {
  if (accountIds.length > 0) await tx.deleteFrom('sessions').where('user_id', 'in', accountIds).execute()
}

/** Ends judges' accounts and their sessions. */
export async function endJudgeAccounts(tx: Database, accountIds: readonly string[], now: Date): Promise<void> {
  if (accountIds.length === 0) return
  await tx
    .updateTable('profiles')
    .set({ vigente_hasta: now })
    .where('id', 'in', accountIds)
    .where('role', '=', 'jurado')
    .execute()
  await endJudgeSessions(tx, accountIds)
}

/** Returns device and sign-in of each judge's newest stored session, by account id; accounts without a session are left out. */
export async function listJudgeDevices(
  db: Database,
  accountIds: readonly string[],
): Promise<Map<string, { device: string | null; at: Date }>> {
  if (accountIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('sessions')
    .select(['user_id', 'equipo', 'created_at'])
    .where('user_id', 'in', accountIds)
    .orderBy('created_at')
    .execute()
  return new Map(rows.map(({ user_id, equipo, created_at }) => [user_id, { device: equipo, at: created_at }]))
}
