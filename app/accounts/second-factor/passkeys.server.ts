import { randomBytes } from 'node:crypto'
import {
  type AuthenticationResponseJSON,
  type AuthenticatorTransportFuture,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import { sql } from 'kysely'
import { MAX_PASSKEYS, ORGANISER_ROLES, PASSKEY_CHALLENGE_MINUTES } from '#app/accounts/rules.ts'
import type { PasskeyPurpose } from '#app/accounts/schema.ts'
import { createBrowserNonce } from '#app/accounts/sessions/browser-nonce.server.ts'
import { type Cookies, fingerprintOf, isSameText } from '#app/accounts/sessions/cookies.server.ts'
import { spendWork } from '#app/accounts/throttling/spent-work.server.ts'
import { type Actor, writeAuditLog } from '#app/audit/mutations.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { dropOrphanedRecoveryCodes, ensureRecoveryCodes } from './totp.server.ts'

/** A passkey as the owner's list shows it. */
export interface Passkey {
  id: string
  /** Browser and device that made the passkey, such as «Chrome en Android». */
  name: string
  createdAt: Date
  /** Moment of the latest proof; null before the first. */
  usedAt: Date | null
}

/** Subject to which a challenge is bound: an account's id, the fingerprint of a pending sign-in, or '' at the login wall. */
type ChallengeSubject = string

export interface PasskeyOwner {
  userId: string
  email: string
}

/** Longest answer of a device; attestations, which would be longer, are not requested. */
const MAX_RESPONSE_CHARACTERS = 16_384
/** Length of the random bytes at the beginning of a challenge. */
const RANDOM_BYTES = 16
/** Length of a challenge's expiry, in milliseconds since 1970, after the random bytes. */
const EXPIRY_BYTES = 6

/**
 * Makes and checks passkeys (WebAuthn). The server stores no open challenge: a challenge contains its expiry and a keyed hash of
 * purpose, browser and subject. A used challenge is stored until its expiry.
 * @source WebAuthn level 2, sections 7.1 and 7.2, by @simplewebauthn/server
 */
export function createPasskeys({ db, keyed, settings }: Pick<Services, 'db' | 'keyed' | 'settings'>, cookies: Cookies) {
  const key = keyed('llaves-de-acceso')
  const origin = settings.publicUrl
  const rpID = new URL(origin).hostname
  const browserNonce = createBrowserNonce(cookies)

  const challengeMacOf = (head: Buffer, purpose: PasskeyPurpose, nonce: string, subject: ChallengeSubject) =>
    fingerprintOf(key, head.toString('base64url'), purpose, nonce, subject)

  function challengeFor(purpose: PasskeyPurpose, nonce: string, subject: ChallengeSubject): Buffer {
    const head = Buffer.concat([randomBytes(RANDOM_BYTES), Buffer.alloc(EXPIRY_BYTES)])
    head.writeUIntBE(Date.now() + PASSKEY_CHALLENGE_MINUTES * 60_000, RANDOM_BYTES, EXPIRY_BYTES)
    return Buffer.concat([head, challengeMacOf(head, purpose, nonce, subject)])
  }

  /** Returns the expiry of a valid challenge, made by this site for the purpose, browser and subject; undefined for any other. */
  function expiryOf(
    challenge: string,
    purpose: PasskeyPurpose,
    nonce: string,
    subject: ChallengeSubject,
  ): Date | undefined {
    const bytes = Buffer.from(challenge, 'base64url')
    const head = bytes.subarray(0, RANDOM_BYTES + EXPIRY_BYTES)
    if (head.length < RANDOM_BYTES + EXPIRY_BYTES) return undefined
    const mac = bytes.subarray(head.length).toString('base64url')
    const expiresAt = head.readUIntBE(RANDOM_BYTES, EXPIRY_BYTES)
    const isMacValid = isSameText(mac, challengeMacOf(head, purpose, nonce, subject).toString('base64url'))
    return isMacValid && expiresAt > Date.now() ? new Date(expiresAt) : undefined
  }

  /** Checks the challenge in a device's answer; `spend` then makes sure that it is used once. */
  function createChallengeCheck(request: Request, purpose: PasskeyPurpose, subject: ChallengeSubject) {
    const nonce = browserNonce.read(request)
    const validChallenges: { fingerprint: string; expiresAt: Date }[] = []
    return {
      expectedChallenge(challenge: string) {
        const expiresAt = nonce && expiryOf(challenge, purpose, nonce, subject)
        if (expiresAt)
          validChallenges.push({
            fingerprint: fingerprintOf(key, 'servido', challenge).toString('base64url'),
            expiresAt,
          })
        return Boolean(expiresAt)
      },
      /** Uses the challenge up. @returns whether it was valid, and had not been used before */
      async spend(tx: Database) {
        return validChallenges.length === 1 && (await spendWork(tx, validChallenges)).size === 1
      },
    }
  }

  const readPasskeysOf = (userId: string) =>
    db.selectFrom('llaves_de_acceso').select(['id', 'transportes']).where('user_id', '=', userId).execute()

  const toDescriptors = (rows: Awaited<ReturnType<typeof readPasskeysOf>>) =>
    rows.map(({ id, transportes }) => ({
      id,
      transports: transportes.split(',').filter(Boolean) as AuthenticatorTransportFuture[],
    }))

  return {
    /** Returns WebAuthn options to prove a passkey. @param ownerId account that must own it; undefined for any account */
    async optionsToProve(request: Request, purpose: PasskeyPurpose, subject: ChallengeSubject, ownerId?: string) {
      const { nonce, cookie } = browserNonce.readOrCreate(request)
      const options = await generateAuthenticationOptions({
        rpID,
        challenge: Uint8Array.from(challengeFor(purpose, nonce, subject)),
        userVerification: 'required',
        timeout: PASSKEY_CHALLENGE_MINUTES * 60_000,
        ...(ownerId !== undefined && { allowCredentials: toDescriptors(await readPasskeysOf(ownerId)) }),
      })
      return { options, headers: new Headers({ 'set-cookie': cookie }) }
    },

    /** Returns WebAuthn options to create a passkey. @param rpName name under which the device lists the passkey */
    async optionsToCreate(request: Request, { userId, email }: PasskeyOwner, rpName: string) {
      const { nonce, cookie } = browserNonce.readOrCreate(request)
      const options = await generateRegistrationOptions({
        rpID,
        rpName,
        userName: email,
        userID: Uint8Array.from(Buffer.from(userId)),
        challenge: Uint8Array.from(challengeFor('alta', nonce, userId)),
        attestationType: 'none',
        timeout: PASSKEY_CHALLENGE_MINUTES * 60_000,
        excludeCredentials: toDescriptors(await readPasskeysOf(userId)),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      })
      return { options, headers: new Headers({ 'set-cookie': cookie }) }
    },

    /**
     * Checks that a device's answer proves an organiser's passkey, whose owner the device has verified.
     * @param ownerId account that must own the passkey; undefined for any account
     * @returns the owner; undefined if the answer proves no such passkey, or was used before
     */
    async prove(
      request: Request,
      purpose: PasskeyPurpose,
      subject: ChallengeSubject,
      responseJson: string,
      ownerId?: string,
    ): Promise<PasskeyOwner | undefined> {
      const response = parseResponse<AuthenticationResponseJSON>(responseJson)
      if (!response) return undefined
      const row = await db
        .selectFrom('llaves_de_acceso as l')
        .innerJoin('profiles as p', 'p.id', 'l.user_id')
        .select(['l.id', 'l.publica', 'l.usos', 'p.id as user_id', 'p.email'])
        .where('l.id', '=', response.id)
        .where('p.role', 'in', ORGANISER_ROLES)
        .where('p.baja_at', 'is', null)
        .executeTakeFirst()
      if (!row || (ownerId !== undefined && row.user_id !== ownerId)) return undefined
      const { expectedChallenge, spend } = createChallengeCheck(request, purpose, subject)
      const verification = await verifyAuthenticationResponse({
        response,
        expectedChallenge,
        expectedOrigin: origin,
        expectedRPID: rpID,
        credential: { id: row.id, publicKey: Uint8Array.from(row.publica), counter: row.usos },
        requireUserVerification: true,
        // The library throws on an invalid answer.
      }).catch(() => undefined)
      if (!verification?.verified || !(await spend(db))) return undefined
      await db
        .updateTable('llaves_de_acceso')
        .set({ usos: verification.authenticationInfo.newCounter, usada_at: sql<Date>`now()` })
        .where('id', '=', row.id)
        .execute()
      return { userId: row.user_id, email: row.email }
    },

    /**
     * Stores a passkey that a browser has just made.
     * @returns new recovery codes, or an empty list if the account has some; undefined if the answer is invalid or was used
     *   before, the passkey is stored already, or the account has MAX_PASSKEYS
     */
    async add(
      request: Request,
      userId: string,
      { responseJson, name }: { responseJson: string; name: string },
      actor: Actor,
    ): Promise<{ recoveryCodes: string[] } | undefined> {
      const response = parseResponse<RegistrationResponseJSON>(responseJson)
      if (!response) return undefined
      const { expectedChallenge, spend } = createChallengeCheck(request, 'alta', userId)
      const verification = await verifyRegistrationResponse({
        response,
        expectedChallenge,
        expectedOrigin: origin,
        expectedRPID: rpID,
        requireUserVerification: true,
      }).catch(() => undefined)
      if (!verification?.verified) return undefined
      const { credential } = verification.registrationInfo
      return db.transaction().execute(async (tx) => {
        // The lock makes concurrent requests count one after another.
        await tx.selectFrom('profiles').select('id').where('id', '=', userId).forNoKeyUpdate().execute()
        const storedPasskeys = await tx
          .selectFrom('llaves_de_acceso')
          .select('id')
          .where('user_id', '=', userId)
          .execute()
        if (storedPasskeys.length >= MAX_PASSKEYS || !(await spend(tx))) return undefined
        const { numInsertedOrUpdatedRows } = await tx
          .insertInto('llaves_de_acceso')
          .values({
            id: credential.id,
            user_id: userId,
            nombre: name,
            publica: Buffer.from(credential.publicKey),
            usos: credential.counter,
            transportes: (credential.transports ?? []).join(','),
          })
          .onConflict((conflict) => conflict.column('id').doNothing())
          .executeTakeFirst()
        if (numInsertedOrUpdatedRows !== 1n) return undefined
        await writeAuditLog(tx, actor, { que: 'cuenta.segundo.llave', cuenta: userId })
        return { recoveryCodes: await ensureRecoveryCodes({ db: tx, keyed }, userId) }
      })
    },
  }
}

/** Parses a device's answer, whose content is checked later; undefined for a text that is too long, no JSON or without an id. */
function parseResponse<DeviceResponse extends { id: string }>(responseJson: string): DeviceResponse | undefined {
  if (responseJson.length > MAX_RESPONSE_CHARACTERS) return undefined
  try {
    const parsedResponse = JSON.parse(responseJson) as { id?: unknown } | null
    return typeof parsedResponse?.id === 'string' ? (parsedResponse as DeviceResponse) : undefined
  } catch {
    return undefined
  }
}

export async function listPasskeys(db: Database, userId: string): Promise<Passkey[]> {
  const rows = await db
    .selectFrom('llaves_de_acceso')
    .select(['id', 'nombre', 'created_at', 'usada_at'])
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .execute()
  return rows.map(({ id, nombre, created_at, usada_at }) => ({
    id,
    name: nombre,
    createdAt: created_at,
    usedAt: usada_at,
  }))
}

/** Removes a passkey and, with the last second factor, the recovery codes. @returns false if the account has no such passkey */
export const removePasskey = (db: Database, userId: string, id: string, actor: Actor): Promise<boolean> =>
  db.transaction().execute(async (tx) => {
    const { numDeletedRows } = await tx
      .deleteFrom('llaves_de_acceso')
      .where('user_id', '=', userId)
      .where('id', '=', id)
      .executeTakeFirst()
    if (numDeletedRows === 0n) return false
    await dropOrphanedRecoveryCodes(tx, userId)
    await writeAuditLog(tx, actor, { que: 'cuenta.segundo.llave-quitada', cuenta: userId })
    return true
  })
