import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import {
  IDLE_TIMEOUT_MS,
  maxSessionMs,
  may,
  ORGANISER_ROLES,
  REAUTHENTICATION_MS,
  RESULTS_ACCESS_MS,
} from '#app/accounts/rules.ts'
import type { Role } from '#app/accounts/schema.ts'
import { batchLookups } from '#app/core/concurrency/batching.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { type Cookies, cookieOf, isSameText } from './cookies.server.ts'

/** An open session with the data of its account. */
export interface Session {
  userId: string
  email: string
  name: string
  /** Role of the account; null for a voter. */
  role: Role | null
  /** Latest end of the session, by the site's clock. */
  expiresAt: Date
  /** Time until the session ends if it is not used, by the site's clock or the machine's, whichever is sooner. */
  remainingMs: number
  /** Time for which the session still opens the results (RESULTS_ACCESS_MS) to a role that may see them; zero or less if not. */
  remainingResultsAccessMs: number
  /** Whether a sign-in or reauthentication was within REAUTHENTICATION_MS. */
  isRecentlyAuthenticated: boolean
  /** An organiser's second factor: set, missing, or missing with the advice hidden; null for an account of another role. */
  secondFactor: 'set' | 'missing' | 'postponed' | null
}

/** Shortest time between two records of a session's use. */
const MIN_TOUCH_INTERVAL_MS = 60_000

/** An open session as its owner's list shows it. */
export interface OpenSession {
  id: string
  /** Name such as «Chrome en Android»; null if unknown. */
  deviceName: string | null
  /** Moment of the sign-in. */
  at: Date
  /** Whether it is the session that asked for the list. */
  isCurrent: boolean
}

/**
 * Reads, touches, lists and ends sessions, which better-auth has made and whose cookies it has signed. Each read looks the session
 * up in the database, so that a session that one process ends has ended in all.
 * @param cookieKey secret with which better-auth signs cookies
 */
export function createSessions({ db, clock }: Pick<Services, 'db' | 'clock'>, cookies: Cookies, cookieKey: string) {
  const SESSION_COOKIE = 'session_token'

  /** Returns the session's token from a cookie; undefined without a cookie, or if this site has not signed it. */
  function tokenOf(cookie: string | undefined): string | undefined {
    if (cookie === undefined) return undefined
    const separatorIndex = cookie.lastIndexOf('.')
    const token = cookie.slice(0, separatorIndex)
    // The signatures are compared as text, since several base64 texts may stand for the same bytes.
    const expectedSignature = createHmac('sha256', cookieKey).update(token).digest('base64')
    return separatorIndex > 0 && isSameText(cookie.slice(separatorIndex + 1), expectedSignature) ? token : undefined
  }

  const findSessionRow = batchLookups(async (tokens: string[]) => {
    const rows = await db
      .selectFrom('sessions')
      .innerJoin('profiles', 'profiles.id', 'sessions.user_id')
      .select(['token', 'profiles.id', 'email', 'name', 'role', 'vigente_hasta', 'baja_at'])
      .select(['expires_at', 'vence_at', 'sessions.created_at', 'usada_at', 'confirmada_at', 'sin_consejo'])
      .select(
        sql<boolean>`role = any(${ORGANISER_ROLES}::text[]) and (
          exists (select 1 from segundos where segundos.user_id = profiles.id and activo_at is not null)
          or exists (select 1 from llaves_de_acceso where llaves_de_acceso.user_id = profiles.id))`.as(
          'has_second_factor',
        ),
      )
      .where('token', '=', sql<string>`any(${tokens})`)
      .execute()
    return new Map(rows.map((row) => [row.token, row]))
  })

  async function readSession(token: string | undefined): Promise<Session | undefined> {
    if (token === undefined) return undefined
    const row = await findSessionRow(token)
    if (!row || row.baja_at) return undefined
    const nowMs = clock.now().getTime()
    const isOrganiser = may(row.role, 'organizadores')
    const startMs = row.vence_at.getTime() - maxSessionMs(row.role)
    const idleRemainingMs = isOrganiser
      ? (row.usada_at?.getTime() ?? startMs) + IDLE_TIMEOUT_MS - nowMs
      : Number.POSITIVE_INFINITY
    const endsAt = new Date(Math.min(row.vence_at.getTime(), row.vigente_hasta?.getTime() ?? Number.POSITIVE_INFINITY))
    const remainingMs = Math.min(endsAt.getTime() - nowMs, row.expires_at.getTime() - Date.now(), idleRemainingMs)
    if (remainingMs <= 0) return undefined
    const remainingResultsAccessMs =
      Math.min(startMs - nowMs, row.created_at.getTime() - Date.now()) + RESULTS_ACCESS_MS
    const isRecentlyAuthenticated = Date.now() - row.confirmada_at.getTime() < REAUTHENTICATION_MS
    const missingStatus = row.sin_consejo ? 'postponed' : 'missing'
    const secondFactor = !isOrganiser ? null : row.has_second_factor ? 'set' : missingStatus
    return {
      userId: row.id,
      email: row.email,
      name: row.name,
      role: row.role,
      expiresAt: endsAt,
      remainingMs,
      remainingResultsAccessMs,
      isRecentlyAuthenticated,
      secondFactor,
    }
  }

  const tokenIn = (request: Request) => tokenOf(cookies.read(request, SESSION_COOKIE))
  const cookieSetBy = (headers: Headers) =>
    headers
      .getSetCookie()
      .map((line) => cookieOf(line.split(';')[0]!, cookies.nameOf(SESSION_COOKIE)))
      .find((value) => value !== undefined)
  const tokenSetBy = (headers: Headers) => tokenOf(cookieSetBy(headers))

  return {
    async get(request: Request): Promise<Session | undefined> {
      return readSession(tokenIn(request))
    },

    /** Returns whether a response sets the cookie of a new session. */
    opensSession: (headers: Headers) => Boolean(cookieSetBy(headers)),

    async readOpenedSession(headers: Headers): Promise<Session | undefined> {
      return readSession(tokenSetBy(headers))
    },

    async storeDeviceName(headers: Headers, deviceName: string | undefined): Promise<void> {
      const token = tokenSetBy(headers)
      if (token === undefined || deviceName === undefined) return
      await db.updateTable('sessions').set({ equipo: deviceName }).where('token', '=', token).execute()
    },

    /** Records that the person of a request's session has just authenticated again. */
    async recordReauthentication(request: Request): Promise<void> {
      const token = tokenIn(request)
      if (token === undefined) return
      await db.updateTable('sessions').set({ confirmada_at: sql`now()` }).where('token', '=', token).execute()
    },

    async touch(request: Request): Promise<void> {
      const token = tokenIn(request)
      // A session that has ended is not revived.
      if (token === undefined || !(await readSession(token))) return
      const now = clock.now()
      await db
        .updateTable('sessions')
        .set({ usada_at: now })
        .where('token', '=', token)
        // The condition allows one write in MIN_TOUCH_INTERVAL_MS, and none that revives a session that has ended meanwhile.
        .where((eb) =>
          eb.or([
            eb('usada_at', 'is', null),
            eb.and([
              eb('usada_at', '<', new Date(now.getTime() - MIN_TOUCH_INTERVAL_MS)),
              eb('usada_at', '>', new Date(now.getTime() - IDLE_TIMEOUT_MS)),
            ]),
          ]),
        )
        .execute()
    },

    async postponeSecondFactor(request: Request): Promise<void> {
      const token = tokenIn(request)
      if (token === undefined) return
      await db.updateTable('sessions').set({ sin_consejo: true }).where('token', '=', token).execute()
    },

    async list(request: Request, userId: string): Promise<OpenSession[]> {
      const token = tokenIn(request)
      const rows = await db
        .selectFrom('sessions')
        .select(['id', 'token', 'equipo', 'created_at'])
        .where('user_id', '=', userId)
        .where('expires_at', '>', sql<Date>`now()`)
        .where('vence_at', '>', clock.now())
        .where(({ fn, eb, ref }) =>
          eb(fn.coalesce(ref('usada_at'), ref('created_at')), '>', new Date(clock.now().getTime() - IDLE_TIMEOUT_MS)),
        )
        .orderBy('created_at', 'desc')
        .execute()
      return rows.map((row) => ({
        id: row.id,
        deviceName: row.equipo,
        at: row.created_at,
        isCurrent: row.token === token,
      }))
    },

    async endListed(request: Request, userId: string, sessionId: string | 'otras'): Promise<void> {
      const token = tokenIn(request) ?? ''
      await db
        .deleteFrom('sessions')
        .where('user_id', '=', userId)
        .where((eb) => (sessionId === 'otras' ? eb('token', '<>', token) : eb('id', '=', sessionId)))
        .execute()
    },

    async endCurrent(request: Request): Promise<void> {
      const token = tokenIn(request)
      if (token === undefined) return
      await db.deleteFrom('sessions').where('token', '=', token).execute()
    },

    clearCookieHeaders: () => new Headers({ 'set-cookie': cookies.toSetCookieHeader(SESSION_COOKIE, '', 0) }),
  }
}

export type Sessions = ReturnType<typeof createSessions>
