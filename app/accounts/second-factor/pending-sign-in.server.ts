import { createHash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { MAX_PENDING_SIGN_IN_ATTEMPTS, PENDING_SIGN_IN_MINUTES } from '#app/accounts/rules.ts'
import type { Cookies } from '#app/accounts/sessions/cookies.server.ts'
import type { Services } from '#app/core/http/services.server.ts'

const PENDING_SIGN_IN_COOKIE = 'antesala'
const TOKEN_PATTERN = /^[\w-]{43}$/

/** A sign-in between the right password and the second factor. */
export interface PendingSignIn {
  fingerprint: string
  userId: string
  email: string
  /** Id of the known device that sent the password; null for an unknown browser. */
  deviceId: string | null
}

/**
 * Opens and ends pending sign-ins, which open no session yet. The cookie has a random token, of which the database stores only
 * the hash.
 */
export function createPendingSignIns({ db }: Pick<Services, 'db'>, cookies: Cookies) {
  const hashOf = (token: string) => createHash('sha256').update(token).digest('base64url')
  const tokenOf = (request: Request) => {
    const token = cookies.read(request, PENDING_SIGN_IN_COOKIE)
    return token !== undefined && TOKEN_PATTERN.test(token) ? token : undefined
  }
  return {
    /** Stores a pending sign-in after the right password. @returns the cookie to set */
    async open(userId: string, deviceId: string | undefined): Promise<string> {
      const token = randomBytes(32).toString('base64url')
      const expiresAtSql = sql<Date>`now() + make_interval(mins => ${PENDING_SIGN_IN_MINUTES})`
      await db
        .insertInto('antesalas')
        .values({ huella: hashOf(token), user_id: userId, equipo: deviceId ?? null, vence_at: expiresAtSql })
        .execute()
      return cookies.toSetCookieHeader(PENDING_SIGN_IN_COOKIE, token, PENDING_SIGN_IN_MINUTES * 60)
    },

    async find(request: Request): Promise<PendingSignIn | undefined> {
      const token = tokenOf(request)
      if (token === undefined) return undefined
      const row = await db
        .selectFrom('antesalas')
        .innerJoin('profiles', 'profiles.id', 'antesalas.user_id')
        .select(['huella', 'user_id', 'equipo', 'email'])
        .where('huella', '=', hashOf(token))
        .where('vence_at', '>', sql<Date>`now()`)
        .where('intentos', '<', MAX_PENDING_SIGN_IN_ATTEMPTS)
        .executeTakeFirst()
      return row && { fingerprint: row.huella, userId: row.user_id, email: row.email, deviceId: row.equipo }
    },

    /** Counts an attempt before it is made. @returns the number of attempts with this one; undefined if it must not be made */
    async countAttempt({ fingerprint }: PendingSignIn): Promise<number | undefined> {
      const row = await db
        .updateTable('antesalas')
        .set({ intentos: sql`intentos + 1` })
        .where('huella', '=', fingerprint)
        .where('vence_at', '>', sql<Date>`now()`)
        .where('intentos', '<', MAX_PENDING_SIGN_IN_ATTEMPTS)
        .returning('intentos')
        .executeTakeFirst()
      return row?.intentos
    },

    /** Ends a pending sign-in. @returns false if another request has ended it, so that only one of two opens a session */
    async end({ fingerprint }: PendingSignIn): Promise<boolean> {
      const { numDeletedRows } = await db.deleteFrom('antesalas').where('huella', '=', fingerprint).executeTakeFirst()
      return numDeletedRows === 1n
    },

    withoutCookie: () => cookies.toSetCookieHeader(PENDING_SIGN_IN_COOKIE, '', 0),
  }
}

export type PendingSignIns = ReturnType<typeof createPendingSignIns>
