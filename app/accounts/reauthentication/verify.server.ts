import { runInTurn, verifyPassword } from '#app/accounts/passwords/hash.server.ts'
import { ATTEMPT_LIMITS } from '#app/accounts/rules.ts'
import type { Session, Sessions } from '#app/accounts/sessions/store.server.ts'
import type { SecondFactorSignIn } from '#app/accounts/sign-in/by-second-factor.server.ts'
import { countAttempt, forgetAttempts, refundAttempt } from '#app/accounts/throttling/rate-limit.server.ts'
import { writeAuditLog } from '#app/audit/mutations.server.ts'
import { OverloadedError } from '#app/core/concurrency/limiter.server.ts'
import type { Services } from '#app/core/http/services.server.ts'

type ReauthenticationResult =
  | { ok: true }
  | { ok: false; reason: 'password' | 'passkey' | 'overload' | 'wait'; retrySeconds?: number }

/** The password, or a passkey's answer as JSON text. */
type GivenProof = { password: string } | { passkey: string }

/** Creates the reauthentication of a session's person. A right proof also restarts REAUTHENTICATION_MS for the session. */
export function createReauthentication(
  { db }: Pick<Services, 'db'>,
  {
    sessions,
    traceOf,
    provesPasskey,
  }: { sessions: Sessions; traceOf(text: string): string; provesPasskey: SecondFactorSignIn['provesPasskey'] },
) {
  return async (
    request: Request,
    client: string,
    session: Session,
    proof: GivenProof,
  ): Promise<ReauthenticationResult> => {
    // Only sessions of this account get here, so that strangers cannot use up its attempts.
    const counterTrace = traceOf(`confirma:${session.userId}`)
    const retrySeconds = await countAttempt(db, counterTrace, ATTEMPT_LIMITS.knownDevice)
    if (retrySeconds > 0) return { ok: false, reason: 'wait', retrySeconds }
    const refuse = async (reason: 'password' | 'passkey'): Promise<ReauthenticationResult> => {
      await writeAuditLog(
        db,
        { quien: null, desde: traceOf(client) },
        { que: 'acceso.fallido', cuenta: session.userId },
      )
      return { ok: false, reason }
    }
    if ('passkey' in proof) {
      if (!(await provesPasskey(request, session, proof.passkey))) return refuse('passkey')
      await forgetAttempts(db, [counterTrace])
      await sessions.recordReauthentication(request)
      return { ok: true }
    }
    const row = await db
      .selectFrom('accounts')
      .select('password')
      .where('user_id', '=', session.userId)
      .where('provider_id', '=', 'credential')
      .executeTakeFirst()
    try {
      const isRight =
        row?.password &&
        (await runInTurn({ lane: 'known', key: counterTrace }, () => verifyPassword(proof.password, row.password!)))
      if (!isRight) return refuse('password')
    } catch (error) {
      if (!(error instanceof OverloadedError)) throw error
      await refundAttempt(db, counterTrace, ATTEMPT_LIMITS.knownDevice)
      return { ok: false, reason: 'overload' }
    }
    await forgetAttempts(db, [counterTrace])
    await sessions.recordReauthentication(request)
    return { ok: true }
  }
}
