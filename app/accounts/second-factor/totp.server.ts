import { createOTP } from '@better-auth/utils/otp'
import { sql } from 'kysely'
import { type AccountChangeResult, withLockedAccount } from '#app/accounts/people/mutations.server.ts'
import { RECOVERY_CODE_COUNT, SECRET_SHOWN_MINUTES, TOTP_STEP_SECONDS } from '#app/accounts/rules.ts'
import { parseCode } from '#app/accounts/schema.ts'
import { fingerprintOf, isSameText } from '#app/accounts/sessions/cookies.server.ts'
import { type Actor, writeAuditLog } from '#app/audit/mutations.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { decrypt, encrypt } from '#app/core/process/authenticated-encryption.server.ts'
import { qrCodeOf } from '#app/core/text/qr-code.server.ts'
import { inGroups, randomCode, UNAMBIGUOUS_CHARACTERS } from '#app/core/text/random-codes.ts'

type SecondFactorServices = Pick<Services, 'db' | 'keyed'>

/** The 94 visible ASCII characters, which better-auth's TOTP takes as one byte each; a secret of 20 has 131 bits. */
const SECRET_ALPHABET = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).join('')
const SECRET_CHARACTERS = 20
const RECOVERY_CODE_CHARACTERS = 10

const decryptSecret = ({ keyed }: SecondFactorServices, userId: string, ciphertext: Buffer) =>
  decrypt(keyed('segundos'), userId, ciphertext)?.toString()

const recoveryCodeFingerprint = ({ keyed }: Pick<Services, 'keyed'>, userId: string, code: string) =>
  fingerprintOf(keyed('respaldos'), userId, code).toString('base64url')

/** Parses a recovery code, which people type in small letters, with blanks, or without the dash; undefined for another text. */
function parseRecoveryCode(text: string): string | undefined {
  const code = text.length > 40 ? '' : text.toUpperCase().replace(/[\s-]/g, '')
  return code.length === RECOVERY_CODE_CHARACTERS ? code : undefined
}

/** Status of the second factor, as the screen of the account shows it. */
export interface SecondFactorStatus {
  /** Moment of the authenticator app's activation; null without an active app. */
  activatedAt: Date | null
  /** Secret that waits for its first code; null also if the authentication is not recent, or the secret is too old to be shown. */
  shownSecret: { key: string; qr: { side: number; path: string } } | null
  recoveryCodeCount: number
}

/** Reads the status of an account's second factor. @param issuer name under which the authenticator app lists the account */
export async function readSecondFactor(
  services: SecondFactorServices,
  { userId, email, isRecentlyAuthenticated }: { userId: string; email: string; isRecentlyAuthenticated: boolean },
  issuer: string,
): Promise<SecondFactorStatus> {
  const [row, recoveryCodeRow] = await Promise.all([
    services.db
      .selectFrom('segundos')
      .select(['secreto', 'activo_at'])
      .select(sql<boolean>`mostrado_at > now() - make_interval(mins => ${SECRET_SHOWN_MINUTES})`.as('vigente'))
      .where('user_id', '=', userId)
      .executeTakeFirst(),
    services.db
      .selectFrom('respaldos')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow(),
  ])
  // The secret needs a recent authentication, so that a session left open does not suffice.
  const isShown = row && !row.activo_at && row.vigente && isRecentlyAuthenticated
  const secret = isShown ? decryptSecret(services, userId, row.secreto) : undefined
  const shownSecret = secret === undefined ? null : describeSecret(secret, issuer, email)
  return {
    activatedAt: row?.activo_at ?? null,
    shownSecret,
    recoveryCodeCount: Number(recoveryCodeRow.count),
  }
}

function describeSecret(secret: string, issuer: string, email: string) {
  const url = createOTP(secret, { digits: 6, period: TOTP_STEP_SECONDS }).url(issuer, email)
  return { key: inGroups(new URL(url).searchParams.get('secret')!, 4).replaceAll('-', ' '), qr: qrCodeOf(url) }
}

/** Makes a secret, which an authenticator app's first code activates. @returns false if an app is active already */
export async function beginAuthenticator(services: SecondFactorServices, userId: string): Promise<boolean> {
  const fields = {
    secreto: encrypt(services.keyed('segundos'), userId, randomCode(SECRET_CHARACTERS, SECRET_ALPHABET)),
    mostrado_at: sql<Date>`now()`,
    ultimo: 0,
  }
  const { numInsertedOrUpdatedRows } = await services.db
    .insertInto('segundos')
    .values({ user_id: userId, ...fields })
    // An active secret is never overwritten.
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(fields).where('segundos.activo_at', 'is', null))
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/**
 * Checks a code of an account's authenticator app. A right code is accepted once, and no earlier code after it.
 * @param mustBeActive whether the app must be active already; false for the code that activates it
 * @source RFC 6238, section 5.2
 */
async function tryTotpCode(
  services: SecondFactorServices,
  userId: string,
  typedCode: string,
  mustBeActive: boolean,
): Promise<boolean> {
  const row = await services.db
    .selectFrom('segundos')
    .select(['secreto', 'activo_at'])
    .where('user_id', '=', userId)
    .executeTakeFirst()
  const code = parseCode(typedCode)
  if (!row || !code || (row.activo_at !== null) !== mustBeActive) return false
  const secret = decryptSecret(services, userId, row.secreto)
  if (secret === undefined) return false
  const otp = createOTP(secret, { digits: 6, period: TOTP_STEP_SECONDS })
  const currentStep = Math.floor(Date.now() / 1_000 / TOTP_STEP_SECONDS)
  // A telephone's clock may be half a minute off.
  const possibleSteps = [currentStep - 1, currentStep, currentStep + 1]
  const matchIndex = (
    await Promise.all(possibleSteps.map(async (step) => isSameText(await otp.hotp(step), code)))
  ).lastIndexOf(true)
  if (matchIndex === -1) return false
  const { numUpdatedRows } = await services.db
    .updateTable('segundos')
    .set({ ultimo: possibleSteps[matchIndex]!, ...(!mustBeActive && { activo_at: sql<Date>`now()` }) })
    .where('user_id', '=', userId)
    .where('secreto', '=', row.secreto)
    .where('ultimo', '<', possibleSteps[matchIndex]!)
    .where('activo_at', mustBeActive ? 'is not' : 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

export const consumeTotpCode = (services: SecondFactorServices, userId: string, typedCode: string): Promise<boolean> =>
  tryTotpCode(services, userId, typedCode, true)

/** Uses up one of an account's recovery codes; of two concurrent requests, one succeeds. @returns false for any other text */
export async function consumeRecoveryCode(
  services: SecondFactorServices,
  userId: string,
  typedCode: string,
  actor: Actor,
): Promise<boolean> {
  const code = parseRecoveryCode(typedCode)
  if (!code) return false
  return services.db.transaction().execute(async (tx) => {
    const { numDeletedRows } = await tx
      .deleteFrom('respaldos')
      .where('user_id', '=', userId)
      .where('huella', '=', recoveryCodeFingerprint(services, userId, code))
      .executeTakeFirst()
    if (numDeletedRows === 1n) await writeAuditLog(tx, actor, { que: 'cuenta.segundo.respaldo-usado', cuenta: userId })
    return numDeletedRows === 1n
  })
}

/**
 * Activates an authenticator app by its first code.
 * @returns the account's first recovery codes, or an empty list if it has some; `ok` is false for a wrong code, or without an app
 *   that waits for it
 */
export async function activateAuthenticator(
  services: SecondFactorServices,
  userId: string,
  typedCode: string,
  actor: Actor,
): Promise<{ ok: true; recoveryCodes: string[] } | { ok: false }> {
  return services.db.transaction().execute(async (tx) => {
    if (!(await tryTotpCode({ ...services, db: tx }, userId, typedCode, false))) return { ok: false }
    await writeAuditLog(tx, actor, { que: 'cuenta.segundo.puesto', cuenta: userId })
    return { ok: true, recoveryCodes: await ensureRecoveryCodes({ ...services, db: tx }, userId) }
  })
}

/** Makes recovery codes for an account that has none left. @returns an empty list if the account has some */
export async function ensureRecoveryCodes(services: SecondFactorServices, userId: string): Promise<string[]> {
  const existingCode = await services.db
    .selectFrom('respaldos')
    .select('huella')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return existingCode ? [] : replaceRecoveryCodes(services, userId)
}

async function replaceRecoveryCodes(services: SecondFactorServices, userId: string): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODE_COUNT }, () =>
    randomCode(RECOVERY_CODE_CHARACTERS, UNAMBIGUOUS_CHARACTERS),
  )
  await services.db.deleteFrom('respaldos').where('user_id', '=', userId).execute()
  const rows = codes.map((code) => ({ user_id: userId, huella: recoveryCodeFingerprint(services, userId, code) }))
  await services.db.insertInto('respaldos').values(rows).execute()
  return codes.map((code) => inGroups(code, 5))
}

/** Replaces an account's recovery codes; the earlier codes become void. */
export const renewRecoveryCodes = (services: SecondFactorServices, userId: string, actor: Actor): Promise<string[]> =>
  services.db.transaction().execute(async (tx) => {
    // The lock makes the later of two concurrent requests win.
    await tx.selectFrom('profiles').select('id').where('id', '=', userId).forNoKeyUpdate().execute()
    await writeAuditLog(tx, actor, { que: 'cuenta.segundo.respaldos', cuenta: userId })
    return replaceRecoveryCodes({ ...services, db: tx }, userId)
  })

/** Removes the authenticator app, active or not, and without a passkey the recovery codes. @returns false if there was no app */
export const removeAuthenticator = (db: Database, userId: string, actor: Actor): Promise<boolean> =>
  db.transaction().execute(async (tx) => {
    const { numDeletedRows } = await tx.deleteFrom('segundos').where('user_id', '=', userId).executeTakeFirst()
    if (numDeletedRows === 0n) return false
    await dropOrphanedRecoveryCodes(tx, userId)
    await writeAuditLog(tx, actor, { que: 'cuenta.segundo.quitado', cuenta: userId })
    return true
  })

/** Removes an account's second factors, recovery codes and pending sign-ins, for an organiser who has lost phone and codes. */
export const removeSecondFactors = (db: Database, email: string, actor: Actor): Promise<AccountChangeResult> =>
  withLockedAccount(db, email, async (tx, { id }) => {
    const methods = await secondFactorMethods(tx, id)
    if (!methods) return 'noSecondFactor'
    await tx.deleteFrom('segundos').where('user_id', '=', id).execute()
    await tx.deleteFrom('llaves_de_acceso').where('user_id', '=', id).execute()
    await tx.deleteFrom('respaldos').where('user_id', '=', id).execute()
    await tx.deleteFrom('antesalas').where('user_id', '=', id).execute()
    await writeAuditLog(tx, actor, { que: 'cuenta.segundo.quitado', cuenta: id })
    return undefined
  })

/** Deletes the recovery codes of an account that has no second factor any more. */
export async function dropOrphanedRecoveryCodes(tx: Database, userId: string): Promise<void> {
  await sql`
    delete from respaldos where user_id = ${userId}
      and not exists (select 1 from segundos where user_id = ${userId} and activo_at is not null)
      and not exists (select 1 from llaves_de_acceso where user_id = ${userId})`.execute(tx)
}

/** Returns the second factors that an account has, beside recovery codes; undefined if it has none. */
export async function secondFactorMethods(
  db: Database,
  userId: string,
): Promise<{ hasAuthenticator: boolean; hasPasskey: boolean } | undefined> {
  const { rows } = await sql<{ has_authenticator: boolean; has_passkey: boolean }>`
    select exists (select 1 from segundos where user_id = ${userId} and activo_at is not null) as has_authenticator,
      exists (select 1 from llaves_de_acceso where user_id = ${userId}) as has_passkey`.execute(db)
  const { has_authenticator: hasAuthenticator, has_passkey: hasPasskey } = rows[0]!
  return hasAuthenticator || hasPasskey ? { hasAuthenticator, hasPasskey } : undefined
}
