import type { BetterAuthPlugin } from 'better-auth'
import { APIError, createAuthEndpoint } from 'better-auth/api'
import { setSessionCookie } from 'better-auth/cookies'
import { revokeUnprovenAccountAccess } from 'better-auth/db'
import * as v from 'valibot'

/**
 * Opens a session for an address whose code was right; creates the account if there is none. There is no route: only this
 * site's own code calls it, after it has checked the code (issue-and-check.server.ts).
 * @source better-auth 1.7.7, plugins/email-otp, signInEmailOTP after the code was verified
 */
export const codeSession = () =>
  ({
    id: 'entrar-por-codigo',
    endpoints: {
      entrarPorCodigo: createAuthEndpoint(
        '/sign-in/codigo',
        { method: 'POST', body: v.object({ correo: v.string() }), metadata: { SERVER_ONLY: true } },
        async (ctx) => {
          const { internalAdapter } = ctx.context
          const email = ctx.body.correo
          const knownUser = (await internalAdapter.findUserByEmail(email))?.user
          const user = !knownUser
            ? await internalAdapter.createUser({ email, emailVerified: true, name: '' }, { method: 'email-otp' })
            : knownUser.emailVerified
              ? knownUser
              : // Logins and sessions of an address that was never verified may be a stranger's: they end.
                await revokeUnprovenAccountAccess(ctx, knownUser.id)
          if (!user) throw new APIError('BAD_REQUEST')
          const session = await internalAdapter.createSession(user.id)
          await setSessionCookie(ctx, { session, user })
          return ctx.json({ ok: true })
        },
      ),
    },
  }) satisfies BetterAuthPlugin
