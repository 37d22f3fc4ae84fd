import { runInTurn } from '#app/accounts/passwords/hash.server.ts'
import { ATTEMPT_LIMITS, PASSWORD_WORK } from '#app/accounts/rules.ts'
import { parseEmail } from '#app/accounts/schema.ts'
import type { Cookies } from '#app/accounts/sessions/cookies.server.ts'
import { createKnownDevices } from '#app/accounts/throttling/known-devices.server.ts'
import { countAttempt, forgetAttempts, refundAttempt } from '#app/accounts/throttling/rate-limit.server.ts'
import { spendWork } from '#app/accounts/throttling/spent-work.server.ts'
import { writeAuditLog } from '#app/audit/mutations.server.ts'
import { createWorkChallenge, isEnoughWork, verifyWork } from '#app/core/http/proof-of-work.server.ts'
import type { SubmittedWork } from '#app/core/http/proof-of-work.ts'
import type { Services } from '#app/core/http/services.server.ts'
import {
  type SecondFactorRequired,
  type SignInFlow,
  type SignInResult,
  userNeedingSecondFactor,
} from './attempt.server.ts'
import type { BetterAuth } from './better-auth.server.ts'
import type { SecondFactorSignIn } from './by-second-factor.server.ts'

/** Wait of a browser that was refused for overload. */
const QUEUE_FULL_RETRY_SECONDS = 5

interface SignInForm {
  request: Request
  client: string
  email: unknown
  password: unknown
  proofOfWork: SubmittedWork | undefined
}

/** Creates the sign-in of organisers and journalists by password. */
export function createPasswordSignIn(
  services: Pick<Services, 'db' | 'keyed'>,
  auth: BetterAuth,
  {
    signInFlow,
    cookies,
    traceOf,
    secondFactorSignIn,
  }: {
    signInFlow: SignInFlow
    cookies: Cookies
    traceOf(text: string): string
    secondFactorSignIn: SecondFactorSignIn
  },
) {
  const { db, keyed } = services
  const devices = createKnownDevices(services, cookies)
  const key = keyed('claves.trabajo')

  /** Counts an attempt. @returns seconds to wait, and functions that refund the attempt or reset the counts */
  async function countFor(deviceId: string | undefined, networkTrace: string, accountTrace: string) {
    if (deviceId !== undefined) {
      const deviceTrace = traceOf(`equipo:${deviceId}`)
      const retrySeconds = await countAttempt(db, deviceTrace, ATTEMPT_LIMITS.knownDevice)
      return {
        retrySeconds,
        refund: () => refundAttempt(db, deviceTrace, ATTEMPT_LIMITS.knownDevice),
        forget: () => forgetAttempts(db, [deviceTrace]),
      }
    }
    const networkRetrySeconds = await countAttempt(db, networkTrace, ATTEMPT_LIMITS.network)
    const retrySeconds = networkRetrySeconds || (await countAttempt(db, accountTrace, ATTEMPT_LIMITS.account))
    // An attempt that the account's limit refuses does not count for the network, which other people share.
    if (retrySeconds > 0 && networkRetrySeconds === 0) await refundAttempt(db, networkTrace, ATTEMPT_LIMITS.network)
    return {
      retrySeconds,
      async refund() {
        await refundAttempt(db, networkTrace, ATTEMPT_LIMITS.network)
        await refundAttempt(db, accountTrace, ATTEMPT_LIMITS.account)
      },
      async forget() {
        await forgetAttempts(db, [accountTrace])
        await refundAttempt(db, networkTrace, ATTEMPT_LIMITS.network)
      },
    }
  }

  /** @returns whether the proof of work was done for this account, and had not been spent before */
  async function spendProofOfWork(accountTrace: string, proofOfWork: SubmittedWork | undefined): Promise<boolean> {
    const doneWork = proofOfWork && (await verifyWork(key, accountTrace, Date.now(), proofOfWork))
    return doneWork !== undefined && isEnoughWork(doneWork, PASSWORD_WORK) && (await spendWork(db, [doneWork])).size > 0
  }

  return async ({
    request,
    client,
    email: typedEmail,
    password: typedPassword,
    proofOfWork,
  }: SignInForm): Promise<SignInResult | SecondFactorRequired> => {
    const email = parseEmail(typedEmail)
    const password = typeof typedPassword === 'string' ? typedPassword : ''
    const clientTrace = traceOf(client)
    const networkTrace = traceOf(`red:${client}`)
    const accountTrace = traceOf(`cuenta:${email ?? String(typedEmail).slice(0, 320)}`)
    const deviceId = email === undefined ? undefined : await devices.find(request, email)
    const attempt = await countFor(deviceId, networkTrace, accountTrace)
    if (attempt.retrySeconds > 0) return signInFlow.refuse('espera', { retrySeconds: attempt.retrySeconds })
    const lane =
      deviceId !== undefined ? 'known' : (await spendProofOfWork(accountTrace, proofOfWork)) ? 'worked' : 'plain'
    let secondFactorUserId: string | undefined
    const attemptResult = await runInTurn({ lane, key: deviceId ?? networkTrace }, () =>
      signInFlow.attempt(() =>
        auth.api
          .signInEmail({
            // An invalid address is replaced, so that the attempt takes as long as with a valid one.
            body: { email: email ?? 'nadie@certamen.invalid', password },
            headers: new Headers(),
            returnHeaders: true,
          })
          .catch((error: unknown) => {
            secondFactorUserId = userNeedingSecondFactor(error)
            throw error
          }),
      ),
    )
    if (secondFactorUserId !== undefined) {
      await attempt.forget()
      return {
        ok: false,
        reason: 'segundo',
        headers: new Headers({ 'set-cookie': await secondFactorSignIn.openPending(secondFactorUserId, deviceId) }),
      }
    }
    if (typeof attemptResult === 'string' && attemptResult !== 'credenciales') {
      // No password was checked, so the attempt does not count.
      await attempt.refund()
      const challenge =
        deviceId === undefined && (await createWorkChallenge(key, accountTrace, PASSWORD_WORK, Date.now()))
      return signInFlow.refuse(attemptResult, {
        retrySeconds: QUEUE_FULL_RETRY_SECONDS,
        ...(challenge && { reto: challenge }),
      })
    }
    return signInFlow.finish(
      request,
      attemptResult,
      { accountTrace, email, clientTrace },
      async ({ userId }, headers) => {
        await attempt.forget()
        const cookie = await devices.cookieAfterSignIn(userId, deviceId)
        if (cookie) headers.append('set-cookie', cookie)
        await writeAuditLog(db, { quien: userId, desde: clientTrace }, { que: 'acceso' })
      },
    )
  }
}
