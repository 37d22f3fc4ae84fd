import { isAPIError } from 'better-auth/api'
import type { SignInRefusal } from '#app/accounts/schema.ts'
import { deviceNameOf } from '#app/accounts/sessions/device-name.ts'
import type { Session, Sessions } from '#app/accounts/sessions/store.server.ts'
import { writeAuditLog } from '#app/audit/mutations.server.ts'
import type { WorkChallenge } from '#app/core/http/proof-of-work.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { OverloadedError } from '#app/core/jobs/limiter.server.ts'
import { SECOND_FACTOR_REQUIRED } from './verified-session-plugin.server.ts'

export type SignInResult =
  | { ok: true; sesion: Session; headers: Headers }
  | {
      ok: false
      reason: SignInRefusal
      retrySeconds?: number
      /** Work that gets the next attempt further ahead in the line. */
      reto?: WorkChallenge
    }

/** The password was right, and a second step comes after it: the headers know this browser there. */
export interface SecondFactorRequired {
  ok: false
  reason: 'segundo'
  headers: Headers
  retrySeconds?: undefined
  reto?: undefined
}

/** On whom an attempt was made, for the log. */
interface AttemptTarget {
  /** Keyed hash of the account as it was typed. */
  cuenta: string
  correo: string | undefined
  /** Keyed hash of the network address. */
  desde: string
}

/** What every way in has in common: how it is tried, refused and finished. */
export function createSignInFlow({ db, log }: Pick<Services, 'db' | 'log'>, sessions: Sessions) {
  function refuse(reason: SignInRefusal, more: { retrySeconds?: number; reto?: WorkChallenge } = {}): SignInResult {
    log.info({ reason }, 'sign-in refused')
    return { ok: false, reason, ...more }
  }

  /** After a way in that worked: ends the old session and reads the new one. */
  async function enter(request: Request, headers: Headers): Promise<Session> {
    await sessions.end(request)
    const session = await sessions.madeBy(headers)
    if (!session) throw new Error('A session that was just made is not there')
    // Organisers and journalists find their sessions by it; voters have no such list, so nothing is kept of theirs.
    if (session.rol) await sessions.keepEquipo(headers, deviceNameOf(request.headers.get('user-agent')))
    return session
  }

  return {
    refuse,
    enter,

    /** Tries a way in that better-auth knows: better-auth's refusals are expected, everything else is a fault. */
    async attempt(way: () => Promise<{ headers: Headers }>): Promise<Headers | SignInRefusal> {
      try {
        return (await way()).headers
      } catch (error) {
        if (error instanceof OverloadedError) return 'saturado'
        if (isAPIError(error) && error.statusCode < 500) return 'credenciales'
        // The same account was made by another attempt at the same moment.
        if (isTaken(error)) return 'credenciales'
        throw error
      }
    },

    /** Writes into the log how an attempt ended, on the account that it was made on where there is one. */
    async finish(
      request: Request,
      made: Headers | 'credenciales',
      { cuenta, correo, desde }: AttemptTarget,
      onSuccess: (session: Session, headers: Headers) => Promise<void>,
    ): Promise<SignInResult> {
      if (made === 'credenciales') {
        const known =
          correo && (await db.selectFrom('profiles').select('id').where('email', '=', correo).executeTakeFirst())
        await writeAuditLog(
          db,
          { quien: null, desde },
          { que: 'acceso.fallido', ...(known ? { cuenta: known.id } : { rastro: cuenta }) },
        )
        return refuse(made)
      }
      const session = await enter(request, made)
      await onSuccess(session, made)
      return { ok: true, sesion: session, headers: made }
    },
  }
}

export type SignInFlow = ReturnType<typeof createSignInFlow>

/** Whose password was right, where a second step comes after it. */
export function userNeedingSecondFactor(error: unknown): string | undefined {
  if (!isAPIError(error)) return undefined
  const { code, userId } = (error.body ?? {}) as { code?: unknown; userId?: unknown }
  return code === SECOND_FACTOR_REQUIRED && typeof userId === 'string' ? userId : undefined
}

/** Whether the database refused a row because another one is there already. */
const isTaken = (error: unknown) => error instanceof Error && 'code' in error && error.code === '23505'
