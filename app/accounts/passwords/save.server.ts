import { randomUUID } from 'node:crypto'
import { type MailContext, passwordChangedLetter } from '#app/accounts/mails.server.ts'
import { may } from '#app/accounts/rules.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { queueMail } from '#app/mail/mutations.server.ts'

/** Stores the hash of an account's password. If it replaces another password, a trigger ends the account's sessions. */
export async function savePassword(tx: Database, userId: string, passwordHash: string): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('accounts')
    .set({ password: passwordHash, updated_at: new Date() })
    .where('user_id', '=', userId)
    .where('provider_id', '=', 'credential')
    .executeTakeFirst()
  if (numUpdatedRows === 0n) await insertPassword(tx, userId, passwordHash)
}

export const insertPassword = (tx: Database, userId: string, passwordHash: string) =>
  tx
    .insertInto('accounts')
    .values({
      id: randomUUID(),
      user_id: userId,
      account_id: userId,
      provider_id: 'credential',
      password: passwordHash,
    })
    .execute()

/** Tells an account's owner that the password was changed, in case another person did it. */
export async function sendPasswordChangedLetter(tx: Database, email: string, { sender, now }: MailContext) {
  const account = await tx.selectFrom('profiles').select('role').where('email', '=', email).executeTakeFirst()
  const loginWall = may(account?.role, 'organizadores') ? '/organizadores' : '/medios'
  await queueMail(tx, {
    ...passwordChangedLetter(now, loginWall),
    to: email,
    sender,
    idempotencyKey: `clave:${randomUUID()}`,
  })
}

export const hasPassword = async (tx: Database, userId: string): Promise<boolean> =>
  (await tx
    .selectFrom('accounts')
    .select('id')
    .where('user_id', '=', userId)
    .where('provider_id', '=', 'credential')
    .executeTakeFirst()) !== undefined
