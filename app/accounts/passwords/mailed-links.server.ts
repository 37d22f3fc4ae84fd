import { createHash, randomBytes } from 'node:crypto'
import {
  accreditationLetter,
  invitationLetter,
  type MailContext,
  passwordResetLetter,
  waitBypassLetter,
} from '#app/accounts/mails.server.ts'
import {
  findPasswordRefusal,
  PASSWORD_LINK_DAYS,
  PASSWORD_RESET_MINUTES,
  type PasswordRefusal,
} from '#app/accounts/rules.ts'
import type { Role } from '#app/accounts/schema.ts'
import { writeAuditLog } from '#app/audit/mutations.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { DAY_MS, MINUTE_MS } from '#app/core/time/durations.ts'
import { queueMail } from '#app/mail/mutations.server.ts'
import { hashPassword } from './hash.server.ts'
import { savePassword, sendPasswordChangedLetter } from './save.server.ts'

const hashOf = (secret: string) => createHash('sha256').update(secret).digest('hex')

/**
 * Queues a mail with a link to set a password; the account's earlier link becomes void.
 * @param account `outlet`: null for an organiser; `isReset`: the account has a password, so that its link is valid for minutes
 *   instead of days
 * @returns the link, for an organiser who sends it another way
 */
export async function sendPasswordLink(
  tx: Database,
  { id, email, outlet, isReset = false }: { id: string; email: string; outlet: string | null; isReset?: boolean },
  { sender, now }: MailContext,
): Promise<string> {
  const secret = randomBytes(24).toString('base64url')
  const lifetimeMs = isReset ? PASSWORD_RESET_MINUTES * MINUTE_MS : PASSWORD_LINK_DAYS * DAY_MS
  const linkFields = { huella: hashOf(secret), vence_at: new Date(now.getTime() + lifetimeMs), recupera: isReset }
  await tx
    .insertInto('enlaces')
    .values({ user_id: id, ...linkFields })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ ...linkFields, created_at: new Date() }))
    .execute()
  const url = `${sender.siteUrl}/medios/clave?llave=${secret}`
  await queueMail(tx, {
    ...(isReset
      ? passwordResetLetter(url, PASSWORD_RESET_MINUTES)
      : outlet === null
        ? invitationLetter(url, linkFields.vence_at)
        : accreditationLetter(outlet, url, linkFields.vence_at)),
    to: email,
    sender,
    idempotencyKey: `enlace:${linkFields.huella}`,
  })
  return url
}

/**
 * Sets the password of the account to which a mailed link belongs. The link works once; the account's sessions end.
 * @param secret the secret part of the link
 * @param newPassword the password as typed, which may still be refused
 * @param clientTrace keyed hash of the client's network address, for the audit log
 */
export async function setPasswordByLink(
  db: Database,
  secret: string,
  newPassword: string,
  clientTrace: string,
  { sender, now }: MailContext,
): Promise<{ ok: true; role: Role; userId: string } | { ok: false; reason: 'invalidLink' | PasswordRefusal }> {
  const linkedAccount = await findPasswordLink(db, secret, now)
  if (!linkedAccount) return { ok: false, reason: 'invalidLink' }
  const refusal = findPasswordRefusal(newPassword, linkedAccount.email)
  if (refusal) return { ok: false, reason: refusal }
  const passwordHash = await hashPassword(newPassword)
  return db.transaction().execute(async (tx) => {
    // The account is locked before its link, as in other changes, to avoid deadlocks.
    await tx
      .selectFrom('profiles')
      .innerJoin('enlaces', 'enlaces.user_id', 'profiles.id')
      .select('profiles.id')
      .where('enlaces.huella', '=', hashOf(secret))
      .forNoKeyUpdate('profiles')
      .execute()
    // Of two concurrent requests, only one still finds the link.
    const usedLink = await tx
      .deleteFrom('enlaces')
      .where('huella', '=', hashOf(secret))
      .returning('user_id')
      .executeTakeFirst()
    if (!usedLink) return { ok: false, reason: 'invalidLink' }
    await savePassword(tx, usedLink.user_id, passwordHash)
    await writeAuditLog(
      tx,
      { quien: usedLink.user_id, desde: clientTrace },
      { que: 'cuenta.clave', cuenta: usedLink.user_id },
    )
    await sendPasswordChangedLetter(tx, linkedAccount.email, { sender, now })
    return { ok: true, role: linkedAccount.role, userId: usedLink.user_id }
  })
}

/**
 * Mails an organiser or a journalist a link to set a new password or, with `createWaitBypassSecret`, a wait-bypass link
 * (throttling/wait-bypass-links.server.ts). Does nothing for an address without an organiser's or journalist's account in force.
 * An account without a password gets a new invitation instead, which is valid for longer.
 * @param createWaitBypassSecret returns the secret part of a wait-bypass link
 */
export async function sendRecoveryLink(
  db: Database,
  email: string,
  mailContext: MailContext,
  createWaitBypassSecret?: (userId: string, passwordHash: string) => string,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const account = await tx
      .selectFrom('profiles')
      .leftJoin('accounts', (join) =>
        join.onRef('accounts.user_id', '=', 'profiles.id').on('provider_id', '=', 'credential'),
      )
      .select(['profiles.id', 'profiles.role', 'profiles.medio', 'accounts.password'])
      .where('email', '=', email)
      .where('role', 'is not', null)
      // A judge signs in by a link of the final's judging table.
      .where('role', '<>', 'jurado')
      .where('baja_at', 'is', null)
      .where((eb) => eb.or([eb('vigente_hasta', 'is', null), eb('vigente_hasta', '>', mailContext.now)]))
      .forNoKeyUpdate('profiles')
      .executeTakeFirst()
    if (!account) return
    if (createWaitBypassSecret && account.password !== null) {
      const secret = createWaitBypassSecret(account.id, account.password)
      await queueMail(tx, {
        ...waitBypassLetter(`${mailContext.sender.siteUrl}/medios/paso?llave=${secret}`, PASSWORD_RESET_MINUTES),
        to: email,
        sender: mailContext.sender,
        idempotencyKey: `paso:${hashOf(secret)}`,
      })
      return
    }
    const outlet = account.role === 'prensa' ? (account.medio ?? email) : null
    await sendPasswordLink(tx, { id: account.id, email, outlet, isReset: account.password !== null }, mailContext)
  })
}

/** Returns the account of a valid link; undefined for any other link, or if the account was deactivated or has no role. */
export async function findPasswordLink(
  db: Database,
  secret: string,
  now: Date,
): Promise<{ email: string; role: Role; outlet: string | null } | undefined> {
  const row = await db
    .selectFrom('enlaces')
    .innerJoin('profiles', 'profiles.id', 'enlaces.user_id')
    .select(['email', 'role', 'medio'])
    .where('enlaces.huella', '=', hashOf(secret))
    .where('enlaces.vence_at', '>', now)
    .where('baja_at', 'is', null)
    .executeTakeFirst()
  return row?.role ? { email: row.email, role: row.role, outlet: row.medio } : undefined
}
