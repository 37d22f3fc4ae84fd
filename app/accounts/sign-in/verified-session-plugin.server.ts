import type { BetterAuthPlugin } from 'better-auth'
import { APIError, createAuthEndpoint } from 'better-auth/api'
import { setSessionCookie } from 'better-auth/cookies'
import * as v from 'valibot'

/** better-auth refuses a right password with this error code where a second factor has to follow. */
export const SECOND_FACTOR_REQUIRED = 'FALTA_SEGUNDO'

/** This endpoint makes the session of an organiser with a proven second factor or passkey. */
export const SECOND_FACTOR_SIGN_IN_PATH = '/sign-in/segundo'

/** This endpoint makes the session of a judge, and of no other role. */
export const JUDGE_SIGN_IN_PATH = '/sign-in/jurado'

/** Opens a session for an account that was checked before. There is no route: only this site's own code calls it. */
const createSessionEndpoint = <Path extends string>(path: Path) =>
  createAuthEndpoint(
    path,
    { method: 'POST', body: v.object({ userId: v.string() }), metadata: { SERVER_ONLY: true } },
    async (ctx) => {
      const { internalAdapter } = ctx.context
      const user = await internalAdapter.findUserById(ctx.body.userId)
      if (!user) throw new APIError('UNAUTHORIZED')
      const session = await internalAdapter.createSession(user.id)
      await setSessionCookie(ctx, { session, user })
      return ctx.json({ ok: true })
    },
  )

/**
 * Opens sessions for sign-ins that this site checks itself: a second factor or a passkey (by-second-factor.server.ts), and
 * a judge's link (app/finals). better-auth.server.ts refuses accounts that may not use an endpoint.
 */
export const verifiedSession = () =>
  ({
    id: 'entrar-juzgada',
    endpoints: {
      entrarConSegundo: createSessionEndpoint(SECOND_FACTOR_SIGN_IN_PATH),
      entrarComoJurado: createSessionEndpoint(JUDGE_SIGN_IN_PATH),
    },
  }) satisfies BetterAuthPlugin
