import { betterAuth } from 'better-auth'
import { APIError } from 'better-auth/api'
import { hashPassword, verifyPassword } from '#app/accounts/passwords/hash.server.ts'
import { maxSessionMs, may } from '#app/accounts/rules.ts'
import { MAX_PASSWORD_CHARACTERS, MIN_PASSWORD_CHARACTERS } from '#app/accounts/schema.ts'
import { secondFactorMethods } from '#app/accounts/second-factor/totp.server.ts'
import { cookiePrefixOf } from '#app/accounts/sessions/cookies.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import {
  JUDGE_SIGN_IN_PATH,
  SECOND_FACTOR_REQUIRED,
  SECOND_FACTOR_SIGN_IN_PATH,
  siteSessions,
} from './session-plugin.server.ts'

/**
 * Sets up better-auth over the site's own tables, as a library: of its routes, only Google's callback is mounted
 * (docs/decisions/0010).
 * @param cookieKey signs the cookies of sessions
 */
export function createBetterAuth(
  { db, clock, settings }: Pick<Services, 'db' | 'clock' | 'settings'>,
  cookieKey: string,
) {
  return betterAuth({
    baseURL: settings.publicUrl,
    basePath: '/cuentas',
    secret: cookieKey,
    database: { db, type: 'postgres' },
    logger: { disabled: true },
    telemetry: { enabled: false },
    // The site counts attempts itself, in `intentos`, before they are made.
    rateLimit: { enabled: false },
    advanced: {
      cookiePrefix: cookiePrefixOf(settings.publicUrl),
      // better-auth would put its own prefix before the site's.
      useSecureCookies: false,
      defaultCookieAttributes: { secure: settings.publicUrl.startsWith('https:') },
      ipAddress: { disableIpTracking: true },
    },
    user: {
      modelName: 'profiles',
      fields: { emailVerified: 'email_verified', createdAt: 'created_at', updatedAt: 'updated_at' },
    },
    session: {
      modelName: 'sessions',
      fields: {
        userId: 'user_id',
        expiresAt: 'expires_at',
        ipAddress: 'ip_address',
        userAgent: 'user_agent',
        createdAt: 'created_at',
        updatedAt: 'updated_at',
      },
      additionalFields: { venceAt: { type: 'date', fieldName: 'vence_at', input: false, required: false } },
      expiresIn: maxSessionMs(null) / 1000,
      disableSessionRefresh: true,
    },
    account: {
      modelName: 'accounts',
      fields: {
        userId: 'user_id',
        accountId: 'account_id',
        providerId: 'provider_id',
        accessToken: 'access_token',
        refreshToken: 'refresh_token',
        idToken: 'id_token',
        accessTokenExpiresAt: 'access_token_expires_at',
        refreshTokenExpiresAt: 'refresh_token_expires_at',
        createdAt: 'created_at',
        updatedAt: 'updated_at',
      },
      updateAccountOnSignIn: false,
    },
    verification: {
      modelName: 'verifications',
      // Expired rows are swept every hour (expired-rows.server.ts) instead of at every look-up.
      disableCleanup: true,
      fields: { expiresAt: 'expires_at', createdAt: 'created_at', updatedAt: 'updated_at' },
    },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: MIN_PASSWORD_CHARACTERS,
      maxPasswordLength: MAX_PASSWORD_CHARACTERS,
      password: { hash: hashPassword, verify: ({ hash, password }) => verifyPassword(password, hash) },
    },
    plugins: [siteSessions()],
    ...(settings.google && {
      socialProviders: {
        google: {
          ...settings.google,
          prompt: 'select_account' as const,
          disableDefaultScope: true,
          scope: ['openid', 'email'],
        },
      },
    }),
    databaseHooks: {
      account: {
        create: {
          // Google's tokens, which let a site act in a person's name, are not stored.
          before: async (account) => ({
            data: { ...account, accessToken: null, refreshToken: null, idToken: null } as unknown as typeof account,
          }),
        },
      },
      session: {
        create: {
          // Every sign-in passes here. An account with a role enters by password, second factor or judge's link, a voter by
          // none of them.
          async before(session, context) {
            const profile = await db
              .selectFrom('profiles')
              .select(['role', 'vigente_hasta', 'baja_at'])
              .where('id', '=', session.userId)
              .executeTakeFirst()
            const now = clock.now()
            const isBySecondFactor = context?.path === SECOND_FACTOR_SIGN_IN_PATH
            const isByPassword = context?.path === '/sign-in/email'
            const isByJudgeLink = context?.path === JUDGE_SIGN_IN_PATH
            if ((profile?.role === 'jurado') !== isByJudgeLink) throw new APIError('UNAUTHORIZED')
            if (
              !profile ||
              profile.baja_at ||
              (profile.role !== null) !== (isByPassword || isBySecondFactor || isByJudgeLink)
            )
              throw new APIError('UNAUTHORIZED')
            if (profile.vigente_hasta && profile.vigente_hasta <= now) throw new APIError('UNAUTHORIZED')
            // The password was right, but no session opens before the second factor.
            if (isByPassword && may(profile.role, 'organizadores') && (await secondFactorMethods(db, session.userId)))
              throw new APIError('UNAUTHORIZED', { code: SECOND_FACTOR_REQUIRED, userId: session.userId })
            if (isBySecondFactor && !may(profile.role, 'organizadores')) throw new APIError('UNAUTHORIZED')
            const durationMs = maxSessionMs(profile.role)
            return {
              data: {
                ...session,
                // The network address is not stored; the audit log has its keyed hash.
                ipAddress: null,
                userAgent: null,
                expiresAt: new Date(Date.now() + durationMs),
                venceAt: new Date(now.getTime() + durationMs),
              },
            }
          },
        },
      },
    },
  })
}

export type BetterAuth = ReturnType<typeof createBetterAuth>
