import type { BetterAuthPlugin } from 'better-auth'
import { APIError, createAuthEndpoint } from 'better-auth/api'
import { setSessionCookie } from 'better-auth/cookies'
import * as v from 'valibot'

/** What the session of a judge is made by, and nobody else's. */
export const CAMINO_DE_JURADO = '/sign-in/jurado'

/**
 * Opens the session of a judge, whose link was judged before (app/final). Only this site's own code calls it: it has no
 * address.
 */
export const entrarComoJurado = () =>
  ({
    id: 'entrar-como-jurado',
    endpoints: {
      entrarComoJurado: createAuthEndpoint(
        CAMINO_DE_JURADO,
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
