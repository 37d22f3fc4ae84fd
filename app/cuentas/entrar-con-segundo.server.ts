import type { BetterAuthPlugin } from 'better-auth'
import { APIError, createAuthEndpoint } from 'better-auth/api'
import { setSessionCookie } from 'better-auth/cookies'
import * as v from 'valibot'

/** The code of the refusal that a right password gets where a second step comes after it. */
export const FALTA_SEGUNDO = 'FALTA_SEGUNDO'

/**
 * Opens the session of an organiser who has passed the second step, or proved a passkey. Only this site's own code calls
 * it, after it has judged either (por-segundo.server.ts): it has no address.
 */
export const entrarConSegundo = () =>
  ({
    id: 'entrar-con-segundo',
    endpoints: {
      entrarConSegundo: createAuthEndpoint(
        '/sign-in/segundo',
        { method: 'POST', body: v.object({ userId: v.string() }), metadata: { SERVER_ONLY: true } },
        async (ctx) => {
          const { internalAdapter } = ctx.context
          const user = await internalAdapter.findUserById(ctx.body.userId)
          if (!user) throw new APIError('UNAUTHORIZED')
          const session = await internalAdapter.createSession(user.id)
          await setSessionCookie(ctx, { session, user })
          return ctx.json({ ok: true })
        },
      ),
    },
  }) satisfies BetterAuthPlugin
