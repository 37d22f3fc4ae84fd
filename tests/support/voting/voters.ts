import { createHmac } from 'node:crypto'
import type pg from 'pg'
import type { Services } from '#app/core/http/services.server.ts'

/** Creates `count` voters, each with an open session, as after signing in by code. @returns their cookies */
export async function makeVoters(pool: pg.Pool, keyed: Services['keyed'], count: number): Promise<string[]> {
  await pool.query(
    `insert into profiles (id, name, email, email_verified)
     select 'medida-' || n, '', 'medida' || n || '@gmail.com', true from generate_series(1, $1::int) n`,
    [count],
  )
  await signInVoters(pool, count)
  return Array.from({ length: count }, (_, index) => cookieOf(keyed, `medida-${index + 1}`))
}

/** Opens the voters' sessions; a session that still exists gets a new expiry. */
export async function signInVoters(pool: pg.Pool, count: number): Promise<void> {
  await pool.query(
    `insert into sessions (id, token, user_id, expires_at, vence_at)
     select 'medida-' || n, 'medida-' || n, 'medida-' || n, now() + '1 day', '2100-01-01' from generate_series(1, $1::int) n
     on conflict (id) do update set expires_at = excluded.expires_at`,
    [count],
  )
}

/** Returns the cookie of a session, signed as the site signs it. */
export function cookieOf(keyed: Services['keyed'], token: string): string {
  const signature = createHmac('sha256', keyed('cookies').export().toString('base64url')).update(token).digest('base64')
  return `certamen.session_token=${encodeURIComponent(`${token}.${signature}`)}`
}
