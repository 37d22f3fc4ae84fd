import { ATTEMPT_LIMITS, MAX_PENDING_SIGN_IN_ATTEMPTS } from '#app/accounts/rules.ts'
import type { PasskeyPurpose } from '#app/accounts/schema.ts'
import { createPasskeys, type PasskeyOwner } from '#app/accounts/second-factor/passkeys.server.ts'
import {
  createPendingSignIns,
  type PendingSignIn,
  type PendingSignIns,
} from '#app/accounts/second-factor/pending-sign-in.server.ts'
import { consumeRecoveryCode, consumeTotpCode, secondFactorMethods } from '#app/accounts/second-factor/totp.server.ts'
import type { Cookies } from '#app/accounts/sessions/cookies.server.ts'
import { createKnownDevices } from '#app/accounts/throttling/known-devices.server.ts'
import { countAttempt, forgetAttempts, refundAttempt } from '#app/accounts/throttling/rate-limit.server.ts'
import { writeAuditLog } from '#app/audit/mutations.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import type { SignInFlow, SignInResult } from './attempt.server.ts'
import type { BetterAuth } from './better-auth.server.ts'

/** A TOTP code, a recovery code, or a passkey's answer as JSON text. */
export type PresentedFactor = { via: 'codigo' | 'respaldo' | 'llave'; text: string }

export type SecondFactorResult = SignInResult | { ok: false; reason: 'expired' }

/** Creates the organisers' second factor after the right password, and their sign-in by passkey alone. */
export function createSecondFactorSignIn(
  services: Pick<Services, 'db' | 'keyed' | 'settings'>,
  auth: BetterAuth,
  { signInFlow, cookies, traceOf }: { signInFlow: SignInFlow; cookies: Cookies; traceOf(text: string): string },
) {
  const { db } = services
  const pendingSignIns: PendingSignIns = createPendingSignIns(services, cookies)
  const passkeys = createPasskeys(services, cookies)
  const devices = createKnownDevices(services, cookies)

  /** Returns the trace under which second factors are counted. Only a person with the password reaches it. */
  const counterTraceOf = ({ userId, deviceId }: PendingSignIn) =>
    traceOf(deviceId ? `segundo-equipo:${deviceId}` : `segundo:${userId}`)

  async function checkFactor(
    request: Request,
    { via, text }: PresentedFactor,
    pendingSignIn: PendingSignIn,
    clientTrace: string,
  ): Promise<boolean> {
    const { userId, fingerprint } = pendingSignIn
    if (via === 'codigo') return consumeTotpCode(services, userId, text)
    if (via === 'respaldo') return consumeRecoveryCode(services, userId, text, { quien: userId, desde: clientTrace })
    return (await passkeys.prove(request, 'segundo', fingerprint, text, userId)) !== undefined
  }

  /** Opens the session after the password and the second factor, or the passkey alone, were proved. */
  async function openProvenSession(
    request: Request,
    { userId, email, deviceId }: Pick<PendingSignIn, 'userId' | 'email' | 'deviceId'>,
    clientTrace: string,
    auditEvent: 'acceso.segundo' | 'acceso.llave',
  ): Promise<SignInResult> {
    const attemptResult = await signInFlow.attempt(() =>
      auth.api.signInBySecondFactor({ body: { userId }, headers: new Headers(), returnHeaders: true }),
    )
    // `finish` writes a refusal of the account to the audit log; an overload is no attempt, and is not written there.
    if (typeof attemptResult === 'string' && attemptResult !== 'credenciales') return signInFlow.refuse(attemptResult)
    return signInFlow.finish(
      request,
      attemptResult,
      { accountTrace: userId, email, clientTrace },
      async (_, headers) => {
        const cookie = await devices.cookieAfterSignIn(userId, deviceId ?? undefined)
        if (cookie) headers.append('set-cookie', cookie)
        headers.append('set-cookie', pendingSignIns.withoutCookie())
        await writeAuditLog(db, { quien: userId, desde: clientTrace }, { que: auditEvent })
      },
    )
  }

  return {
    openPending: pendingSignIns.open,

    async listMethods(request: Request) {
      const pendingSignIn = await pendingSignIns.find(request)
      return pendingSignIn && secondFactorMethods(db, pendingSignIn.userId)
    },

    async leavePending(request: Request): Promise<Headers> {
      const pendingSignIn = await pendingSignIns.find(request)
      if (pendingSignIn) await pendingSignIns.end(pendingSignIn)
      return new Headers({ 'set-cookie': pendingSignIns.withoutCookie() })
    },

    /**
     * @param session of an organiser; needed for `confirmo` and `alta`
     * @param rpName name under which the device lists a new passkey
     */
    async passkeyOptions(request: Request, purpose: PasskeyPurpose, session: PasskeyOwner | undefined, rpName: string) {
      if (purpose === 'entrar') return passkeys.optionsToProve(request, purpose, '')
      if (purpose === 'segundo') {
        const pendingSignIn = await pendingSignIns.find(request)
        return (
          pendingSignIn && passkeys.optionsToProve(request, purpose, pendingSignIn.fingerprint, pendingSignIn.userId)
        )
      }
      if (!session) return undefined
      if (purpose === 'alta') return passkeys.optionsToCreate(request, session, rpName)
      return passkeys.optionsToProve(request, purpose, session.userId, session.userId)
    },

    addPasskey: passkeys.add,

    /** Returns whether a passkey of the session's own account was proved, in place of the password. */
    provesPasskey: async (request: Request, { userId }: { userId: string }, text: string): Promise<boolean> =>
      (await passkeys.prove(request, 'confirmo', userId, text, userId)) !== undefined,

    /** Signs in by a passkey alone: the device is one factor, its check by finger, face or PIN another. */
    async signInByPasskey(request: Request, client: string, text: string): Promise<SignInResult> {
      const [clientTrace, networkTrace] = [traceOf(client), traceOf(`llave-red:${client}`)]
      const retrySeconds = await countAttempt(db, networkTrace, ATTEMPT_LIMITS.passkeyNetwork)
      if (retrySeconds > 0) return signInFlow.refuse('espera', { retrySeconds })
      const passkeyOwner = await passkeys.prove(request, 'entrar', '', text)
      if (!passkeyOwner) {
        await writeAuditLog(db, { quien: null, desde: clientTrace }, { que: 'acceso.fallido', via: 'llave' })
        return signInFlow.refuse('credenciales')
      }
      await refundAttempt(db, networkTrace, ATTEMPT_LIMITS.passkeyNetwork)
      return openProvenSession(request, { ...passkeyOwner, deviceId: null }, clientTrace, 'acceso.llave')
    },

    async passFactor(request: Request, client: string, presentedFactor: PresentedFactor): Promise<SecondFactorResult> {
      const pendingSignIn = await pendingSignIns.find(request)
      if (!pendingSignIn) return { ok: false, reason: 'expired' }
      const clientTrace = traceOf(client)
      const counterTrace = counterTraceOf(pendingSignIn)
      const retrySeconds = await countAttempt(db, counterTrace, ATTEMPT_LIMITS.secondFactor)
      if (retrySeconds > 0) return signInFlow.refuse('espera', { retrySeconds })
      const attemptCount = await pendingSignIns.countAttempt(pendingSignIn)
      if (attemptCount === undefined) return { ok: false, reason: 'expired' }
      if (!(await checkFactor(request, presentedFactor, pendingSignIn, clientTrace))) {
        const failedEvent = { que: 'acceso.fallido.segundo' as const, cuenta: pendingSignIn.userId }
        await writeAuditLog(db, { quien: null, desde: clientTrace }, failedEvent)
        if (attemptCount < MAX_PENDING_SIGN_IN_ATTEMPTS) return signInFlow.refuse('credenciales')
        await writeAuditLog(
          db,
          { quien: null, desde: clientTrace },
          { que: 'cuenta.segundo.adivinado', cuenta: pendingSignIn.userId },
        )
        return { ok: false, reason: 'expired' }
      }
      if (!(await pendingSignIns.end(pendingSignIn))) return { ok: false, reason: 'expired' }
      await forgetAttempts(db, [counterTrace])
      return openProvenSession(request, pendingSignIn, clientTrace, 'acceso.segundo')
    },
  }
}

export type SecondFactorSignIn = ReturnType<typeof createSecondFactorSignIn>
