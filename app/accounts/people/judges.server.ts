import { randomBytes, randomUUID } from 'node:crypto'
import type { Database } from '#app/core/db/database.server.ts'

/** A judge's account has no mailbox, no password and no second factor: no mail is ever delivered to `.invalid` (RFC 2606). */
const JUDGE_EMAIL_DOMAIN = 'jurado.invalid'

/**
 * Makes the account of a judge, or changes the name and last moment of an existing account, whose sessions end.
 * @param account id of the existing account; null: a new account is made
 * @param nickname begins the account's address, by which the log names the account: letters, digits, hyphens
 * @param validUntil last moment, by the site's clock
 * @returns the account's id
 */
export async function makeJudgeAccount(
  tx: Database,
  { account, nickname, name, validUntil }: { account: string | null; nickname: string; name: string; validUntil: Date },
): Promise<string> {
  if (account !== null) {
    await tx
      .updateTable('profiles')
      .set({ name, vigente_hasta: validUntil, updated_at: new Date() })
      .where('id', '=', account)
      .where('role', '=', 'jurado')
      .execute()
    await endJudgeSessions(tx, [account])
    return account
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

/** Ends the sessions on the judges' telephones. */
export async function endJudgeSessions(tx: Database, accounts: readonly string[]): Promise<void> {
  if (accounts.length > 0) await tx.deleteFrom('sessions').where('user_id', 'in', accounts).execute()
}

/** Ends the judges' accounts when the evening is over. */
export async function endJudgeAccounts(tx: Database, accounts: readonly string[], now: Date): Promise<void> {
  if (accounts.length === 0) return
  await tx
    .updateTable('profiles')
    .set({ vigente_hasta: now })
    .where('id', 'in', accounts)
    .where('role', '=', 'jurado')
    .execute()
  await endJudgeSessions(tx, accounts)
}

/** Returns the device of each judge's newest session, by account id; accounts without a session are left out. */
export async function listJudgeDevices(
  db: Database,
  accounts: readonly string[],
): Promise<Map<string, { device: string | null; at: Date }>> {
  if (accounts.length === 0) return new Map()
  const rows = await db
    .selectFrom('sessions')
    .select(['user_id', 'equipo', 'created_at'])
    .where('user_id', 'in', accounts)
    .orderBy('created_at')
    .execute()
  return new Map(rows.map(({ user_id, equipo, created_at }) => [user_id, { device: equipo, at: created_at }]))
}
