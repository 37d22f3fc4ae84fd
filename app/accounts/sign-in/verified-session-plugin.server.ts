import type { BetterAuthPlugin } from 'better-auth'
import { APIError, createAuthEndpoint } from 'better-auth/api'
import { setSessionCookie } from 'better-auth/cookies'
import * as v from 'valibot'

/** The code of the refusal that a right password gets where a second step comes after it. */
export const SECOND_FACTOR_REQUIRED = 'FALTA_SEGUNDO'

/** What the session of an organiser is made by who has passed the second step, or proved a passkey. */
export const SECOND_FACTOR_SIGN_IN_PATH = '/sign-in/segundo'

/** What the session of a judge is made by, and nobody else's. */
export const JUDGE_SIGN_IN_PATH = '/sign-in/jurado'

/** Opens a session for whoever was judged before. Only this site's own code calls it: it has no address. */
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
 * The ways in that this site judges itself: the second step or a passkey (by-second-factor.server.ts), and a judge's link
 * (app/finals). Which account may come by which is better-auth.server.ts's to say.
 */
export const verifiedSession = () =>
  ({
    id: 'entrar-juzgada',
    endpoints: {
      entrarConSegundo: createSessionEndpoint(SECOND_FACTOR_SIGN_IN_PATH),
      entrarComoJurado: createSessionEndpoint(JUDGE_SIGN_IN_PATH),
    },
  }) satisfies BetterAuthPlugin
