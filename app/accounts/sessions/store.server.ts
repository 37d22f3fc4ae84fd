import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import {
  IDLE_TIMEOUT_MS,
  may,
  ORGANISER_ROLES,
  REAUTHENTICATION_MS,
  RESULTS_ACCESS_MS,
  sessionMs,
} from '#app/accounts/rules.ts'
import type { Role } from '#app/accounts/schema.ts'
import { inBatches } from '#app/core/concurrency/batching.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { type Cookies, cookieOf, isSame } from './cookies.server.ts'

/** An open session and its account. */
export interface Session {
  userId: string
  email: string
  name: string
  role: Role | null
  /** When the session ends, by the site's clock. */
  expiresAt: Date
  /** Milliseconds until the session ends, by the site's clock or the machine's, whichever says less. */
  remainingMs: number
  /** Milliseconds for which the session still opens the results (RESULTS_ACCESS_MS); below zero: no more. */
  resultsAccessMs: number
  /** Whether the person has authenticated within REAUTHENTICATION_MS. */
  isRecentlyAuthenticated: boolean
  /** Second factor of an organiser: set, missing, or missing with the advice hidden; null: no organiser. */
  secondFactor: 'puesto' | 'sin' | 'aplazado' | null
}

/** The use of a session is recorded at most once in this time. */
const USE_RECORD_MS = 60_000

/** A session in its owner's list. */
export interface OpenSession {
  id: string
  /** «Chrome en Android»; null: unknown. */
  device: string | null
  /** When the session began. */
  at: Date
  /** Whether the request for the list belongs to this session. */
  isCurrent: boolean
}

/**
 * The sessions of requests. better-auth makes them and signs their cookies; this module reads both. Every request looks
 * its session up, so that a session that is ended in one process has ended in all.
 * @param cookieKey the secret with which better-auth signs cookies
 */
export function createSessions({ db, clock }: Pick<Services, 'db' | 'clock'>, cookies: Cookies, cookieKey: string) {
  const NAME = 'session_token'

  /** The session's token out of a cookie; undefined: this site has not signed the cookie. */
  function tokenOf(cookie: string): string | undefined {
    const at = cookie.lastIndexOf('.')
    const token = cookie.slice(0, at)
    // Compared as text, since base64 has more than one way to write the same bytes.
    const expected = createHmac('sha256', cookieKey).update(token).digest('base64')
    return at > 0 && isSame(cookie.slice(at + 1), expected) ? token : undefined
  }

  const findSession = inBatches(async (tokens: string[]) => {
    const rows = await db
      .selectFrom('sessions')
      .innerJoin('profiles', 'profiles.id', 'sessions.user_id')
      .select(['token', 'profiles.id', 'email', 'name', 'role', 'vigente_hasta', 'baja_at'])
      .select(['expires_at', 'vence_at', 'sessions.created_at', 'usada_at', 'confirmada_at', 'sin_consejo'])
      .select(
        sql<boolean>`role = any(${ORGANISER_ROLES}::text[]) and (
          exists (select 1 from segundos where segundos.user_id = profiles.id and activo_at is not null)
          or exists (select 1 from llaves_de_acceso where llaves_de_acceso.user_id = profiles.id))`.as('con_segundo'),
      )
      .where('token', '=', sql<string>`any(${tokens})`)
      .execute()
    return new Map(rows.map((row) => [row.token, row]))
  })

  async function lookUp(cookie: string): Promise<Session | undefined> {
    const token = tokenOf(cookie)
    if (token === undefined) return undefined
    const row = await findSession(token)
    if (!row || row.baja_at) return undefined
    const now = clock.now().getTime()
    const isOrganiser = may(row.role, 'organizadores')
    const beganAt = row.vence_at.getTime() - sessionMs(row.role)
    const restMs = isOrganiser ? (row.usada_at?.getTime() ?? beganAt) + IDLE_TIMEOUT_MS - now : Number.POSITIVE_INFINITY
    const endsAt = new Date(Math.min(row.vence_at.getTime(), row.vigente_hasta?.getTime() ?? Number.POSITIVE_INFINITY))
    const remainingMs = Math.min(endsAt.getTime() - now, row.expires_at.getTime() - Date.now(), restMs)
    if (remainingMs <= 0) return undefined
    const resultsAccessMs = Math.min(beganAt - now, row.created_at.getTime() - Date.now()) + RESULTS_ACCESS_MS
    const isRecentlyAuthenticated = Date.now() - row.confirmada_at.getTime() < REAUTHENTICATION_MS
    const missing = row.sin_consejo ? 'aplazado' : 'sin'
    const secondFactor = !isOrganiser ? null : row.con_segundo ? 'puesto' : missing
    return {
      userId: row.id,
      email: row.email,
      name: row.name,
      role: row.role,
      expiresAt: endsAt,
      remainingMs,
      resultsAccessMs,
      isRecentlyAuthenticated,
      secondFactor,
    }
  }

  const cookieIn = (request: Request) => cookies.read(request, NAME)
  const cookieSetBy = (headers: Headers) =>
    headers
      .getSetCookie()
      .map((line) => cookieOf(line.split(';')[0]!, cookies.nameOf(NAME)))
      .find((value) => value !== undefined)

  return {
    /** The session of a request; undefined: not signed in. */
    async get(request: Request): Promise<Session | undefined> {
      const cookie = cookieIn(request)
      return cookie === undefined ? undefined : lookUp(cookie)
    },

    /** Whether an answer opens a session. */
    isMadeBy: (headers: Headers) => Boolean(cookieSetBy(headers)),

    /** The session that an answer opens. */
    async madeBy(headers: Headers): Promise<Session | undefined> {
      const cookie = cookieSetBy(headers)
      return cookie === undefined ? undefined : lookUp(cookie)
    },

    /** Stores the device name of the session that an answer opens. */
    async keepDevice(headers: Headers, device: string | undefined): Promise<void> {
      const cookie = cookieSetBy(headers)
      const token = cookie === undefined ? undefined : tokenOf(cookie)
      if (token === undefined || device === undefined) return
      await db.updateTable('sessions').set({ equipo: device }).where('token', '=', token).execute()
    },

    /** Notes that the person of a request's session has just authenticated again. */
    async confirm(request: Request): Promise<void> {
      const cookie = cookieIn(request)
      const token = cookie === undefined ? undefined : tokenOf(cookie)
      if (token === undefined) return
      await db.updateTable('sessions').set({ confirmada_at: sql`now()` }).where('token', '=', token).execute()
    },

    /** Notes that the session of a request was used. */
    async use(request: Request): Promise<void> {
      const cookie = cookieIn(request)
      const token = cookie === undefined ? undefined : tokenOf(cookie)
      // An ended session stays ended.
      if (cookie === undefined || token === undefined || !(await lookUp(cookie))) return
      const now = clock.now()
      await db
        .updateTable('sessions')
        .set({ usada_at: now })
        .where('token', '=', token)
        // At most one write a minute, and none that revives a session that ended this very moment.
        .where((eb) =>
          eb.or([
            eb('usada_at', 'is', null),
            eb.and([
              eb('usada_at', '<', new Date(now.getTime() - USE_RECORD_MS)),
              eb('usada_at', '>', new Date(now.getTime() - IDLE_TIMEOUT_MS)),
            ]),
          ]),
        )
        .execute()
    },

    /** Hides the advice to set up a second factor until the session of a request ends. */
    async postpone(request: Request): Promise<void> {
      const cookie = cookieIn(request)
      const token = cookie === undefined ? undefined : tokenOf(cookie)
      if (token === undefined) return
      await db.updateTable('sessions').set({ sin_consejo: true }).where('token', '=', token).execute()
    },

    /** The open sessions of an account, the newest first. */
    async list(request: Request, userId: string): Promise<OpenSession[]> {
      const cookie = cookieIn(request)
      const token = cookie === undefined ? undefined : tokenOf(cookie)
      const rows = await db
        .selectFrom('sessions')
        .select(['id', 'token', 'equipo', 'created_at'])
        .where('user_id', '=', userId)
        .where('expires_at', '>', sql<Date>`now()`)
        .where('vence_at', '>', clock.now())
        .where(
          ({ fn, ref }) =>
            sql<boolean>`${fn.coalesce(ref('usada_at'), ref('created_at'))} > ${new Date(clock.now().getTime() - IDLE_TIMEOUT_MS)}
            or ${ref('user_id')} not in (select id from profiles where role = any(${ORGANISER_ROLES}::text[]))`,
        )
        .orderBy('created_at', 'desc')
        .execute()
      return rows.map((row) => ({
        ...{ id: row.id, device: row.equipo, at: row.created_at, isCurrent: row.token === token },
      }))
    },

    /** Ends one session of an account, or all but the request's own. */
    async endOne(request: Request, userId: string, which: string | 'otras'): Promise<void> {
      const cookie = cookieIn(request)
      const token = (cookie === undefined ? undefined : tokenOf(cookie)) ?? ''
      await db
        .deleteFrom('sessions')
        .where('user_id', '=', userId)
        .where((eb) => (which === 'otras' ? eb('token', '<>', token) : eb('id', '=', which)))
        .execute()
    },

    /** Ends the session of a request; its cookie is void from then on. */
    async end(request: Request): Promise<void> {
      const cookie = cookieIn(request)
      const token = cookie === undefined ? undefined : tokenOf(cookie)
      if (token === undefined) return
      await db.deleteFrom('sessions').where('token', '=', token).execute()
    },

    /** Headers that delete the cookie. */
    withoutCookie: () => new Headers({ 'set-cookie': cookies.line(NAME, '', 0) }),
  }
}

export type Sessions = ReturnType<typeof createSessions>
