import type { BetterAuthPlugin, GenericEndpointContext, User } from 'better-auth'
import { APIError, createAuthEndpoint } from 'better-auth/api'
import { setSessionCookie } from 'better-auth/cookies'
import { revokeUnprovenAccountAccess } from 'better-auth/db'
import * as v from 'valibot'

/** Error code with which better-auth refuses a right password if a second factor has to follow. */
export const SECOND_FACTOR_REQUIRED = 'FALTA_SEGUNDO'

/** Endpoint that makes the session of an organiser with a proven second factor or passkey. */
export const SECOND_FACTOR_SIGN_IN_PATH = '/sign-in/segundo'

/** Endpoint that makes the session of a judge, and of no other role. */
export const JUDGE_SIGN_IN_PATH = '/sign-in/jurado'

async function openSession(ctx: GenericEndpointContext, user: User | null) {
  if (!user) throw new APIError('UNAUTHORIZED')
  const session = await ctx.context.internalAdapter.createSession(user.id)
  await setSessionCookie(ctx, { session, user })
  return ctx.json({ ok: true })
}

const createSessionEndpoint = <Path extends string>(path: Path) =>
  createAuthEndpoint(
    path,
    { method: 'POST', body: v.object({ userId: v.string() }), metadata: { SERVER_ONLY: true } },
    async (ctx) => openSession(ctx, await ctx.context.internalAdapter.findUserById(ctx.body.userId)),
  )

/**
 * Finds the account of an address whose code was right; creates the account if there is none.
 * @source better-auth 1.7.7, plugins/email-otp, signInEmailOTP after the code was verified
 */
async function findOrCreateUser(ctx: GenericEndpointContext, email: string): Promise<User | null> {
  const { internalAdapter } = ctx.context
  const knownUser = (await internalAdapter.findUserByEmail(email))?.user
  if (!knownUser) return internalAdapter.createUser({ email, emailVerified: true, name: '' }, { method: 'email-otp' })
  // Logins and sessions of an address that was never verified may be a stranger's, so they end.
  return knownUser.emailVerified ? knownUser : revokeUnprovenAccountAccess(ctx, knownUser.id)
}

/**
 * Opens sessions for sign-ins that this site checks itself: a mailed code (issue-and-check.server.ts), a second factor or a
 * passkey (by-second-factor.server.ts), and a judge's link (app/finals). The endpoints have no route, so that only this site's own
 * code calls them. better-auth.server.ts refuses accounts that may not use an endpoint.
 */
export const siteSessions = () =>
  ({
    id: 'entrar-juzgada',
    endpoints: {
      signInByCode: createAuthEndpoint(
        '/sign-in/codigo',
        { method: 'POST', body: v.object({ email: v.string() }), metadata: { SERVER_ONLY: true } },
        async (ctx) => openSession(ctx, await findOrCreateUser(ctx, ctx.body.email)),
      ),
      signInBySecondFactor: createSessionEndpoint(SECOND_FACTOR_SIGN_IN_PATH),
      signInAsJudge: createSessionEndpoint(JUDGE_SIGN_IN_PATH),
    },
  }) satisfies BetterAuthPlugin
