import { isAPIError } from 'better-auth/api'
import type { SignInRefusal } from '#app/accounts/schema.ts'
import type { Cookies } from '#app/accounts/sessions/cookies.server.ts'
import { deviceNameOf } from '#app/accounts/sessions/device-name.ts'
import type { Session, Sessions } from '#app/accounts/sessions/store.server.ts'
import { writeAuditLog } from '#app/audit/mutations.server.ts'
import { PREVIEW_COOKIE } from '#app/cms/editions/preview-cookie.ts'
import { OverloadedError } from '#app/core/concurrency/limiter.server.ts'
import type { WorkChallenge } from '#app/core/http/proof-of-work.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { SECOND_FACTOR_REQUIRED } from './session-plugin.server.ts'

export type SignInResult =
  | { ok: true; session: Session; headers: Headers }
  | {
      ok: false
      reason: SignInRefusal
      retrySeconds?: number
      /** Challenge whose proof of work moves the next attempt forward in the queue. */
      reto?: WorkChallenge
    }

/** The password was right, and a second factor is required. */
export interface SecondFactorRequired {
  ok: false
  reason: 'segundo'
  /** Set the cookie of the pending sign-in. */
  headers: Headers
  retrySeconds?: undefined
  reto?: undefined
}

/** Data of an attempt for the audit log. */
interface LoggedAttempt {
  /** Keyed hash of the typed address, or the account's id. It is logged if no account has the email, or without an email. */
  accountTrace: string
  email: string | undefined
  /** Keyed hash of the network address. */
  clientTrace: string
}

/** Creates the steps that sign-ins share: trying, refusing and finishing. */
export function createSignInFlow({ db, log }: Pick<Services, 'db' | 'log'>, sessions: Sessions, cookies: Cookies) {
  function refuse(reason: SignInRefusal, details: { retrySeconds?: number; reto?: WorkChallenge } = {}): SignInResult {
    log.info({ reason }, 'sign-in refused')
    return { ok: false, reason, ...details }
  }

  /** After a successful sign-in, ends the browser's old session and preview, and reads the session that `headers` opens. */
  async function enter(request: Request, headers: Headers): Promise<Session> {
    await sessions.endCurrent(request)
    const session = await sessions.readOpenedSession(headers)
    if (!session) throw new Error('A session that was just made does not exist')
    // A preview ends with the session that asked for it.
    if (cookies.read(request, PREVIEW_COOKIE) !== undefined)
      headers.append('set-cookie', cookies.toSetCookieHeader(PREVIEW_COOKIE, '', 0))
    // The devices of accounts with a role are listed; a voter has no such list, so the device is not stored.
    if (session.role) await sessions.storeDeviceName(headers, deviceNameOf(request.headers.get('user-agent')))
    return session
  }

  return {
    refuse,
    enter,

    /**
     * Runs a sign-in of better-auth.
     * @returns headers that open the session, or the refusal: `saturado` for a full queue of hashes; `credenciales` if better-auth
     *   refuses, or if a concurrent attempt has made the same account
     * @throws every other error, which is a fault
     */
    async attempt(runSignIn: () => Promise<{ headers: Headers }>): Promise<Headers | SignInRefusal> {
      try {
        return (await runSignIn()).headers
      } catch (error) {
        if (error instanceof OverloadedError) return 'saturado'
        if (isAPIError(error) && error.statusCode < 500) return 'credenciales'
        if (isUniqueViolation(error)) return 'credenciales'
        throw error
      }
    },

    /** Opens the session of a successful attempt; logs a failed one, under the account's id if there is one. */
    async finish(
      request: Request,
      attemptResult: Headers | 'credenciales',
      { accountTrace, email, clientTrace }: LoggedAttempt,
      onSuccess: (session: Session, headers: Headers) => Promise<void>,
    ): Promise<SignInResult> {
      if (attemptResult === 'credenciales') {
        const knownAccount =
          email && (await db.selectFrom('profiles').select('id').where('email', '=', email).executeTakeFirst())
        await writeAuditLog(
          db,
          { quien: null, desde: clientTrace },
          { que: 'acceso.fallido', ...(knownAccount ? { cuenta: knownAccount.id } : { rastro: accountTrace }) },
        )
        return refuse(attemptResult)
      }
      const session = await enter(request, attemptResult)
      await onSuccess(session, attemptResult)
      return { ok: true, session, headers: attemptResult }
    },
  }
}

export type SignInFlow = ReturnType<typeof createSignInFlow>

/** Returns the account id from better-auth's refusal of a right password that needs a second factor; undefined for other errors. */
export function userNeedingSecondFactor(error: unknown): string | undefined {
  if (!isAPIError(error)) return undefined
  const { code, userId } = (error.body ?? {}) as { code?: unknown; userId?: unknown }
  return code === SECOND_FACTOR_REQUIRED && typeof userId === 'string' ? userId : undefined
}

/** Returns whether the database refused a duplicate (PostgreSQL's unique_violation). */
const isUniqueViolation = (error: unknown) => error instanceof Error && 'code' in error && error.code === '23505'
