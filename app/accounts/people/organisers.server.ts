import { randomUUID } from 'node:crypto'
import type { MailContext } from '#app/accounts/mails.server.ts'
import { sendPasswordLink } from '#app/accounts/passwords/mailed-links.server.ts'
import { may } from '#app/accounts/rules.ts'
import { parseEmail, type Role } from '#app/accounts/schema.ts'
import { type Actor, writeAuditLog } from '#app/audit/mutations.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { type AccountChangeResult, changeRole } from './mutations.server.ts'

/**
 * Makes an organiser's account, or turns a voter's or a deactivated one into it, and mails its owner a link to set the password.
 * @param role `admin`, or the role of one part of the panel
 */
export async function inviteOrganiser(
  db: Database,
  { email: givenEmail, role }: { email: string; role: Role },
  actor: Actor,
  mailContext: MailContext,
): Promise<AccountChangeResult<{ link: string }>> {
  const email = parseEmail(givenEmail)
  if (!email) return { ok: false, reason: 'address' }
  if (!may(role, 'organizadores')) return { ok: false, reason: 'wrongRole' }
  return db.transaction().execute(async (tx) => {
    const profileRow = await tx
      .insertInto('profiles')
      .values({ id: randomUUID(), name: '', email, email_verified: true, role })
      .onConflict((conflict) =>
        conflict
          .column('email')
          .doUpdateSet({ role, medio: null, vigente_hasta: null, baja_at: null, updated_at: new Date() })
          // An account with a role must be deactivated before, so that a slip cannot give a journalist the entrants' documents.
          .where((eb) => eb.or([eb('profiles.role', 'is', null), eb('profiles.baja_at', 'is not', null)])),
      )
      .returning('id')
      .executeTakeFirst()
    if (!profileRow) return { ok: false, reason: 'alreadyUsed' }
    await writeAuditLog(tx, actor, { que: `cuenta.creada.${role}`, cuenta: profileRow.id })
    return { ok: true, link: await sendPasswordLink(tx, { id: profileRow.id, email, outlet: null }, mailContext) }
  })
}

/**
 * Changes an organiser's role to another role of the panel; the account's sessions end. Changing an `admin`'s role is refused
 * (`wrongRole`), so that a stolen session cannot take the site away from the organisers.
 */
export const changeOrganiserRole = (
  db: Database,
  email: string,
  role: Role,
  actor: Actor,
): Promise<AccountChangeResult> =>
  changeRole(
    db,
    email,
    role,
    actor,
    (currentRole) => currentRole !== 'admin' && may(currentRole, 'organizadores') && may(role, 'organizadores'),
  )
