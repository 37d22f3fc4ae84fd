import { randomUUID } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { accreditationChangeLetter, type MailContext } from '#app/accounts/mails.server.ts'
import { generatePassword, hashPassword } from '#app/accounts/passwords/hash.server.ts'
import { sendPasswordLink } from '#app/accounts/passwords/mailed-links.server.ts'
import {
  hasPassword,
  insertPassword,
  savePassword,
  sendPasswordChangedLetter,
} from '#app/accounts/passwords/save.server.ts'
import { findPasswordRefusal, may, type PasswordRefusal } from '#app/accounts/rules.ts'
import { parseEmail, type Role } from '#app/accounts/schema.ts'
import { type Actor, writeAuditLog } from '#app/audit/mutations.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { typedText } from '#app/core/text/typed-text.ts'
import { formatLongDateTimeWithZone } from '#app/core/time/mexico-dates.ts'
import { queueMail } from '#app/mail/mutations.server.ts'

/** Limit of the column `profiles.medio`. */
const MAX_OUTLET_CHARACTERS = 120

export type AccountRefusal =
  | 'address'
  | 'outlet'
  | 'pastDate'
  | 'alreadyUsed'
  | 'unknown'
  | 'lastAdmin'
  | 'alreadyRequested'
  /** The code for a new address is wrong or expired, or its attempts are used up. */
  | 'wrongCode'
  | 'noSecondFactor'
  /** The account's role may not be changed, or not to the given role. */
  | 'wrongRole'
  | PasswordRefusal

export type AccountChangeResult<T = object> = ({ ok: true } & T) | { ok: false; reason: AccountRefusal }

interface NewAccount {
  email: string
  role: Role
  /** Generated if undefined. */
  password?: string | undefined
  outlet?: string | undefined
  /** End of the account by the site's clock; undefined without an end. */
  validUntil?: Date | undefined
}

/**
 * Makes an account with a role, or reopens a deactivated account with the given role. Any other account with the email, even a
 * voter's, is refused with `alreadyUsed`.
 * @returns the password in plain text, which is stored nowhere; or the refusal
 */
export async function createAccount(
  db: Database,
  newAccount: NewAccount,
  actor: Actor,
): Promise<AccountChangeResult<{ password: string }>> {
  const address = parseEmail(newAccount.email)
  if (!address) return { ok: false, reason: 'address' }
  const password = newAccount.password ?? generatePassword()
  const reason = findPasswordRefusal(password, address)
  if (reason) return { ok: false, reason }
  const passwordHash = await hashPassword(password)
  return db.transaction().execute(async (tx) => {
    const profileFields = {
      name: newAccount.outlet ?? '',
      role: newAccount.role,
      medio: newAccount.outlet ?? null,
      vigente_hasta: newAccount.validUntil ?? null,
      baja_at: null,
    }
    const profileRow = await tx
      .insertInto('profiles')
      .values({ id: randomUUID(), email: address, email_verified: true, ...profileFields })
      .onConflict((conflict) =>
        conflict
          .column('email')
          .doUpdateSet({ ...profileFields, updated_at: new Date() })
          .where('profiles.baja_at', 'is not', null),
      )
      .returning('id')
      .executeTakeFirst()
    if (!profileRow) return { ok: false, reason: 'alreadyUsed' }
    await savePassword(tx, profileRow.id, passwordHash)
    await writeAuditLog(tx, actor, { que: `cuenta.creada.${newAccount.role}`, cuenta: profileRow.id })
    return { ok: true, password }
  })
}

interface Accreditation {
  email: string
  outlet: string
  /** End of the accreditation by the site's clock; undefined without an end. */
  validUntil?: Date | undefined
}

/**
 * Accredits a journalist, or changes the outlet and the end of an accreditation. A journalist without a password, or deactivated
 * before, gets a link to set a password, which makes an earlier link void; a journalist with a password gets a mail about the
 * change.
 * @returns the link, undefined if none was sent; or the refusal
 */
export async function accreditJournalist(
  db: Database,
  { email: givenEmail, outlet, validUntil }: Accreditation,
  actor: Actor,
  { sender, now }: MailContext,
): Promise<AccountChangeResult<{ link: string | undefined }>> {
  const address = parseEmail(givenEmail)
  if (!address) return { ok: false, reason: 'address' }
  const outletName = typedText(outlet)
  if (outletName === '' || [...outletName].length > MAX_OUTLET_CHARACTERS) return { ok: false, reason: 'outlet' }
  if (validUntil && validUntil <= now) return { ok: false, reason: 'pastDate' }
  return db.transaction().execute(async (tx) => {
    const profileFields = {
      name: outletName,
      medio: outletName,
      vigente_hasta: validUntil ?? null,
      role: 'prensa',
      baja_at: null,
    } as const
    // A voter's account may become a journalist's; an organiser's may not, even if it is deactivated.
    const profileRow = await tx
      .insertInto('profiles')
      .values({ id: randomUUID(), email: address, email_verified: true, ...profileFields })
      .onConflict((conflict) =>
        conflict
          .column('email')
          .doUpdateSet({ ...profileFields, updated_at: new Date() })
          .where((eb) => eb.or([eb('profiles.role', 'is', null), eb('profiles.role', '=', 'prensa')])),
      )
      .returning('id')
      .executeTakeFirst()
    if (!profileRow) return { ok: false, reason: 'alreadyUsed' }
    await writeAuditLog(tx, actor, { que: 'acreditacion', cuenta: profileRow.id })
    if (!(await hasPassword(tx, profileRow.id)))
      return {
        ok: true,
        link: await sendPasswordLink(tx, { id: profileRow.id, email: address, outlet: outletName }, { sender, now }),
      }
    await queueMail(tx, {
      ...accreditationChangeLetter(outletName, validUntil),
      to: address,
      sender,
      idempotencyKey: `vigencia:${randomUUID()}`,
    })
    return { ok: true, link: undefined }
  })
}

/**
 * Changes an account's role; its sessions end. An organiser's account has no end.
 * @param mayChange returns whether an account with this role may be changed
 */
export function changeRole(
  db: Database,
  address: string,
  role: Role,
  actor: Actor,
  mayChange = (_currentRole: Role | null) => true,
): Promise<AccountChangeResult> {
  return withLockedAccount(db, address, async (tx, account) => {
    if (!mayChange(account.role)) return 'wrongRole'
    if (role !== 'admin' && account.isLastAdmin) return 'lastAdmin'
    await tx
      .updateTable('profiles')
      .set({
        role,
        ...(may(role, 'organizadores') && { vigente_hasta: null, medio: null }),
        updated_at: new Date(),
      })
      .where('id', '=', account.id)
      .execute()
    await writeAuditLog(tx, actor, { que: `cuenta.rol.${role}`, cuenta: account.id })
    return undefined
  })
}

/**
 * Sets a new password; the account's sessions end, and its owner gets a mail.
 * @param givenPassword generated if undefined
 */
export async function changePassword(
  db: Database,
  address: string,
  givenPassword: string | undefined,
  actor: Actor,
  mailContext: MailContext,
): Promise<AccountChangeResult<{ password: string }>> {
  const password = givenPassword ?? generatePassword()
  const refusal = findPasswordRefusal(password, address)
  if (refusal) return { ok: false, reason: refusal }
  const passwordHash = await hashPassword(password)
  const changeResult = await withLockedAccount(db, address, async (tx, { id, email }) => {
    await savePassword(tx, id, passwordHash)
    // A link that is still valid could set another password.
    await tx.deleteFrom('enlaces').where('user_id', '=', id).execute()
    await sendPasswordChangedLetter(tx, email, mailContext)
    await writeAuditLog(tx, actor, { que: 'cuenta.clave', cuenta: id })
    return undefined
  })
  return changeResult.ok ? { ok: true, password } : changeResult
}

/** Changes an account's address; a trigger ends the account's sessions. */
export async function changeEmail(
  db: Database,
  address: string,
  newEmail: string,
  actor: Actor,
): Promise<AccountChangeResult<{ email: string }>> {
  const email = parseEmail(newEmail)
  if (!email) return { ok: false, reason: 'address' }
  const changeResult = await withLockedAccount(db, address, async (tx, { id }) => {
    const takenProfile = await tx.selectFrom('profiles').select('id').where('email', '=', email).executeTakeFirst()
    if (takenProfile) return 'alreadyUsed'
    await tx.updateTable('profiles').set({ email, updated_at: new Date() }).where('id', '=', id).execute()
    // A link that was sent to the old address must not open the account.
    await tx.deleteFrom('enlaces').where('user_id', '=', id).execute()
    await writeAuditLog(tx, actor, { que: 'cuenta.correo', cuenta: id })
    return undefined
  })
  return changeResult.ok ? { ok: true, email } : changeResult
}

/**
 * Deactivates an account at once, as the terminal does: no password, session or link opens the account any more. The panel
 * deactivates an `admin` only after DEACTIVATION_HOURS (deactivations.server.ts).
 * @param now the site's clock
 */
export const deactivateAccount = (
  db: Database,
  address: string,
  now: Date,
  actor: Actor,
): Promise<AccountChangeResult> =>
  withLockedAccount(db, address, (tx, account) => deactivateLockedAccount(tx, account, now, actor))

/** Deactivates an account that `withLockedAccount` has locked. @returns the refusal; undefined if the account is deactivated */
export async function deactivateLockedAccount(
  tx: Database,
  { id, isLastAdmin }: LockedAccount,
  now: Date,
  actor: Actor,
): Promise<AccountRefusal | undefined> {
  if (isLastAdmin) return 'lastAdmin'
  await tx.updateTable('profiles').set({ baja_at: now, updated_at: new Date() }).where('id', '=', id).execute()
  await tx.deleteFrom('enlaces').where('user_id', '=', id).execute()
  await tx.deleteFrom('bajas').where('user_id', '=', id).execute()
  await writeAuditLog(tx, actor, { que: 'cuenta.baja', cuenta: id })
  return undefined
}

export interface LockedAccount {
  id: string
  email: string
  role: Role | null
  medio: string | null
  /** Whether the account is an `admin`'s, and no other `admin` has an account without an end. */
  isLastAdmin: boolean
}

/**
 * Runs a change on an account that has a role and is not deactivated. Every other such `admin` is locked meanwhile, so that the
 * last two cannot leave at the same time. The rows are locked in the order of their ids, to avoid deadlocks. A refusal that `change`
 * returns does not roll back what `change` has written.
 * @returns the refusal `unknown` without such an account; else the refusal of `change`, if any
 */
export function withLockedAccount(
  db: Database,
  givenEmail: string,
  change: (tx: Database, account: LockedAccount) => Promise<AccountRefusal | undefined>,
): Promise<AccountChangeResult> {
  return db.transaction().execute(async (tx) => {
    const address = parseEmail(givenEmail) ?? typedText(givenEmail).toLowerCase()
    const lockedProfiles = await tx
      .selectFrom('profiles')
      .select(['id', 'email', 'role', 'medio', 'vigente_hasta'])
      .where('role', 'is not', null)
      .where('baja_at', 'is', null)
      .where((eb) => eb.or([eb('email', '=', address), eb('role', '=', 'admin')]))
      .orderBy('id')
      .forNoKeyUpdate()
      .execute()
    const account = lockedProfiles.find(({ email }) => email === address)
    if (!account) return { ok: false, reason: 'unknown' }
    const otherAdmins = lockedProfiles.filter(
      ({ id, role, vigente_hasta }) => id !== account.id && role === 'admin' && !vigente_hasta,
    )
    const reason = await change(tx, { ...account, isLastAdmin: account.role === 'admin' && otherAdmins.length === 0 })
    return reason ? { ok: false, reason } : { ok: true }
  })
}

export interface FirstAdmin {
  email: string
  password: string
}

/** Address of the first account while ADMIN_EMAIL is not set. No mail arrives there. */
const PLACEHOLDER_EMAIL = 'organizacion@certamen.local'

/**
 * Makes the first `admin` if the site has none, and writes its password to a file (mode 0600). Two processes that start at once
 * make one account. If there is an `admin`, an account that still has the placeholder address gets the given one, unless another
 * account has it.
 * @param address mail address of the account (ADMIN_EMAIL)
 * @returns the new account; undefined if there is an `admin`, even a deactivated one, or an account with the address
 */
export async function createFirstAdmin(
  db: Database,
  passwordFilePath: string,
  now: Date,
  address = PLACEHOLDER_EMAIL,
): Promise<FirstAdmin | undefined> {
  return db.transaction().execute(async (tx) => {
    const adminQuery = tx.selectFrom('profiles').select('id').where('role', '=', 'admin').limit(1)
    if (await adminQuery.executeTakeFirst()) {
      const addressOwners = tx.selectFrom('profiles').select('id').where('email', '=', address)
      const changedRow = await tx
        .updateTable('profiles')
        .set({ email: address, updated_at: new Date() })
        .where('email', '=', PLACEHOLDER_EMAIL)
        .where(({ exists, not }) => not(exists(addressOwners)))
        .returning('id')
        .executeTakeFirst()
      // The file may be missing, since the operator deletes it once the password has been changed (docs/operacion.md).
      const fileText = changedRow && (await readFile(passwordFilePath, 'utf8').catch(() => undefined))
      if (fileText) await writeFile(passwordFilePath, fileText.replace(PLACEHOLDER_EMAIL, address), { mode: 0o600 })
      return undefined
    }
    const admin: FirstAdmin = { email: address, password: generatePassword() }
    const id = randomUUID()
    const profileRow = await tx
      .insertInto('profiles')
      .values({ id, name: 'Organización', email: admin.email, email_verified: true, role: 'admin' })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst()
    if (!profileRow) return undefined
    await insertPassword(tx, id, await hashPassword(admin.password))
    // The file is written before the commit: an account whose password is lost is worse than a superfluous file.
    const fileText = `Primer administrador del sitio (creado el ${formatLongDateTimeWithZone(now)})\nCorreo: ${admin.email}\nContraseña: ${admin.password}\n`
    await writeFile(passwordFilePath, fileText, { mode: 0o600 })
    return admin
  })
}
