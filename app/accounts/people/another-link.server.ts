import type { MailContext } from '#app/accounts/mails.server.ts'
import { sendPasswordLink } from '#app/accounts/passwords/mailed-links.server.ts'
import { hasPassword } from '#app/accounts/passwords/save.server.ts'
import { type Actor, writeAuditLog } from '#app/audit/mutations.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { type AccountChangeResult, withLockedAccount } from './mutations.server.ts'

/**
 * Mails the owner of an account with a role another link to set a password; the earlier link becomes void.
 * @returns the link, undefined for an `admin` with a password, since a stolen session of one `admin` must not take over the account
 *   of another; or the refusal `unknown`
 */
export async function resendPasswordLink(
  db: Database,
  givenEmail: string,
  actor: Actor,
  mailContext: MailContext,
): Promise<AccountChangeResult<{ link: string | undefined }>> {
  let link: string | undefined
  const changeResult = await withLockedAccount(db, givenEmail, async (tx, { id, email, role, medio }) => {
    const account = { id, email, outlet: role === 'prensa' ? (medio ?? email) : null }
    const isReset = await hasPassword(tx, id)
    const sentLink = await sendPasswordLink(tx, { ...account, isReset }, mailContext)
    if (role !== 'admin' || !isReset) link = sentLink
    await writeAuditLog(tx, actor, { que: 'cuenta.enlace', cuenta: id })
    return undefined
  })
  return changeResult.ok ? { ok: true, link } : changeResult
}
