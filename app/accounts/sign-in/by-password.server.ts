import { runInTurn } from '#app/accounts/passwords/hash.server.ts'
import { LIMITS, PASSWORD_WORK } from '#app/accounts/rules.ts'
import { readEmail } from '#app/accounts/schema.ts'
import type { Cookies } from '#app/accounts/sessions/cookies.server.ts'
import { createKnownDevices } from '#app/accounts/throttling/known-devices.server.ts'
import { countAttempt, forgetAttempts, refundAttempt } from '#app/accounts/throttling/rate-limit.server.ts'
import { spendWork } from '#app/accounts/throttling/spent-work.server.ts'
import { writeAuditLog } from '#app/audit/mutations.server.ts'
import { checkWork, isEnough, makeWork } from '#app/core/http/proof-of-work.server.ts'
import type { Work } from '#app/core/http/proof-of-work.ts'
import type { Services } from '#app/core/http/services.server.ts'
import {
  type SecondFactorRequired,
  type SignInFlow,
  type SignInResult,
  userNeedingSecondFactor,
} from './attempt.server.ts'
import type { BetterAuth } from './better-auth.server.ts'
import type { SecondFactorSignIn } from './by-second-factor.server.ts'

/** Wait of a browser that was refused for overload and has done no work. */
const QUEUE_FULL_RETRY_SECONDS = 5

interface SignInForm {
  request: Request
  client: string
  email: unknown
  password: unknown
  proofOfWork: Work | undefined
}

/** Sign-in of organisers and journalists by password. */
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

  /** Counts an attempt. @returns seconds to wait, and functions that take the count back or reset it */
  async function count(device: string | undefined, networkTrace: string, account: string) {
    if (device !== undefined) {
      const own = traceOf(`equipo:${device}`)
      const held = await countAttempt(db, own, LIMITS.equipo)
      return { held, refund: () => refundAttempt(db, own, LIMITS.equipo), forget: () => forgetAttempts(db, [own]) }
    }
    const networkHeld = await countAttempt(db, networkTrace, LIMITS.red)
    const held = networkHeld || (await countAttempt(db, account, LIMITS.cuenta))
    // An attempt that the account's limit refuses is not counted for the network: other people behind the address go on.
    if (held > 0 && networkHeld === 0) await refundAttempt(db, networkTrace, LIMITS.red)
    return {
      held,
      async refund() {
        await refundAttempt(db, networkTrace, LIMITS.red)
        await refundAttempt(db, account, LIMITS.cuenta)
      },
      async forget() {
        await forgetAttempts(db, [account])
        await refundAttempt(db, networkTrace, LIMITS.red)
      },
    }
  }

  /** @returns whether work was done for an attempt on this account, and has not served yet */
  async function hasWorked(account: string, proofOfWork: Work | undefined): Promise<boolean> {
    const done = proofOfWork && (await checkWork(key, account, Date.now(), proofOfWork))
    return done !== undefined && isEnough(done, PASSWORD_WORK) && (await spendWork(db, [done])).size > 0
  }

  return async ({
    request,
    client,
    email: givenEmail,
    password: givenPassword,
    proofOfWork,
  }: SignInForm): Promise<SignInResult | SecondFactorRequired> => {
    const email = readEmail(givenEmail)
    const password = typeof givenPassword === 'string' ? givenPassword : ''
    const from = traceOf(client)
    const networkTrace = traceOf(`red:${client}`)
    const account = traceOf(`cuenta:${email ?? String(givenEmail).slice(0, 320)}`)
    const device = email === undefined ? undefined : await devices.find(request, email)
    const counted = await count(device, networkTrace, account)
    if (counted.held > 0) return signInFlow.refuse('espera', { retrySeconds: counted.held })
    const lane = device !== undefined ? 'conocido' : (await hasWorked(account, proofOfWork)) ? 'trabajado' : 'llano'
    let missing: string | undefined
    const made = await runInTurn({ lane, key: device ?? networkTrace }, () =>
      signInFlow.attempt(() =>
        auth.api
          .signInEmail({
            // Without a valid address the attempt takes as long as any other.
            body: { email: email ?? 'nadie@certamen.invalid', password },
            headers: new Headers(),
            returnHeaders: true,
          })
          .catch((error: unknown) => {
            missing = userNeedingSecondFactor(error)
            throw error
          }),
      ),
    )
    if (missing !== undefined) {
      await counted.forget()
      return {
        ok: false,
        reason: 'segundo',
        headers: new Headers({ 'set-cookie': await secondFactorSignIn.open(missing, device) }),
      }
    }
    if (typeof made === 'string' && made !== 'credenciales') {
      // No password was checked, so the attempt does not count.
      await counted.refund()
      const challenge = device === undefined && (await makeWork(key, account, PASSWORD_WORK, Date.now()))
      return signInFlow.refuse(made, { retrySeconds: QUEUE_FULL_RETRY_SECONDS, ...(challenge && { reto: challenge }) })
    }
    return signInFlow.finish(request, made, { account, email, from }, async ({ userId }, headers) => {
      await counted.forget()
      const cookie = await devices.cookieFor(userId, device)
      if (cookie) headers.append('set-cookie', cookie)
      await writeAuditLog(db, { quien: userId, desde: from }, { que: 'acceso' })
    })
  }
}
