import { sql } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import type { AuditSubject } from './schema.ts'

/** In a log line that a screen shows, mail addresses replace account ids. */
export interface AuditLogLine extends AuditSubject {
  id: number
  at: Date
  /** `quien` is the address of the acting account, `VOTER` for a voter, or null for an actor without an account. */
  quien: string | null
  /** `desde` is the source, as in `Actor`. It is null on a voter's line: its network could match a named person's line. */
  desde: string | null
}

export interface AuditLogFilter {
  /** `que` selects one event name and all names below it: «acceso» also selects «acceso.codigo». */
  que?: string | undefined
  /** `account` is the address of an account with a role, which is the actor or the subject of the selected lines. */
  account?: string | undefined
  /** `from` and `to` are the first and the last moment of the selected lines, both included. */
  from?: Date | undefined
  to?: Date | undefined
}

const LINES = 40

/**
 * `VOTER` replaces a voter's address. Hourly sums of votes are public: in an hour with a single vote, the time of a
 * sign-in would reveal the voter.
 */
const VOTER = 'Votante'
/** Only voters sign in by these events; the lines stay anonymous even after the voter's account gets a role. */
const VOTER_SIGN_INS = ['acceso.codigo', 'acceso.google']

/**
 * A page lists its lines newest first. It has the id of its first line if newer lines exist, and the id of its last line
 * if older lines exist.
 */
interface AuditLogPage {
  lines: AuditLogLine[]
  newer: number | undefined
  older: number | undefined
}

/**
 * Reads a page of the log. An address without an account that has a role selects no line.
 * @param where `before`: only lines older than the line of this id; `after`, which `before` overrides: only newer lines
 */
export async function listAuditLog(
  db: Database,
  filter: AuditLogFilter,
  where: { before?: number | undefined; after?: number | undefined } = {},
): Promise<AuditLogPage> {
  const { que, account: address, from, to } = filter
  const { before, after } = where
  const isBack = before === undefined && after !== undefined
  let query = db
    .selectFrom('bitacora as b')
    .leftJoin('profiles as q', 'q.id', 'b.quien')
    .leftJoin('profiles as c', 'c.id', 'b.cuenta')
    .selectAll('b')
    .select(['q.email as q_email', 'q.role as q_role', 'c.email as c_email', 'c.role as c_role'])
    .orderBy('b.id', isBack ? 'asc' : 'desc')
    .limit(LINES + 1)
  if (before !== undefined) query = query.where('b.id', '<', before)
  else if (isBack) query = query.where('b.id', '>', after)
  if (que) query = query.where((eb) => eb.or([eb('b.que', '=', que), eb('b.que', 'like', `${que}.%`)]))
  if (address) {
    const found = await db
      .selectFrom('profiles')
      .select('id')
      .where('email', '=', address)
      .where('role', 'is not', null)
      .executeTakeFirst()
    const id = found?.id ?? ''
    query = query
      .where((eb) => eb.or([eb('b.quien', '=', id), eb('b.cuenta', '=', id)]))
      .where('b.que', 'not in', VOTER_SIGN_INS)
  }
  if (from) query = query.where('b.at', '>=', from)
  if (to) query = query.where('b.at', '<=', to)
  const rows = await query.execute()
  // With fewer newer lines than fill a page, the reader has reached the first page, which is shown whole.
  if (isBack && rows.length < LINES) return listAuditLog(db, filter)
  const shown = rows.slice(0, LINES)
  if (isBack) shown.reverse()
  const isMore = rows.length > LINES
  return {
    lines: shown.map(({ q_email, q_role, c_email, c_role, ...line }) => {
      const nameOf = (email: string, role: string | null) =>
        role === null || VOTER_SIGN_INS.includes(line.que) ? VOTER : email
      // Accounts with a role are never deleted, so a deleted account that signed in or out was a voter's.
      const gone = (id: string | null) => (id !== null && /^(acceso|salida)/.test(line.que) ? VOTER : id)
      const who = q_email === null ? gone(line.quien) : nameOf(q_email, q_role)
      const account = c_email === null ? gone(line.cuenta) : nameOf(c_email, c_role)
      return { ...line, quien: who, cuenta: account, desde: (who ?? account) === VOTER ? null : line.desde }
    }),
    newer: (isBack ? isMore : before !== undefined) ? shown[0]?.id : undefined,
    older: isBack || isMore ? shown.at(-1)?.id : undefined,
  }
}

interface FinishedDeletion {
  acuse: string
  at: Date
  motivo: 'solicitud' | 'plazo'
  /** This is the organiser's address, or null for an actor without an account, such as the site itself. */
  quien: string | null
}

/** Returns the last finished deletions of entries, newest first, from their lines in the log. */
export async function listFinishedDeletions(db: Database, limit: number): Promise<FinishedDeletion[]> {
  const rows = await db
    .selectFrom('bitacora')
    .leftJoin('profiles', 'profiles.id', 'bitacora.quien')
    .select(['acuse', 'at', 'que', 'email'])
    .where('que', 'in', ['borrado.solicitud', 'borrado.plazo'])
    .orderBy('bitacora.id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ acuse, at, que, email }) => ({
    acuse: acuse ?? '',
    at,
    motivo: que === 'borrado.plazo' ? 'plazo' : 'solicitud',
    quien: email,
  }))
}

/** A change of an account names the actor and the account by their current addresses. */
export interface AccountChange {
  id: number
  que: string
  at: Date
  cuenta: string | null
  /** `quien` is null for an actor without an account, whom `desde` names. */
  quien: string | null
  desde: string
}

/** Returns the changes of accounts within the last 24 hours by the database's clock, oldest first. */
export async function listAccountChanges(db: Database): Promise<AccountChange[]> {
  return db
    .selectFrom('bitacora as b')
    .leftJoin('profiles as c', 'c.id', 'b.cuenta')
    .leftJoin('profiles as q', 'q.id', 'b.quien')
    .select(['b.id', 'b.que', 'b.at', 'b.desde', 'c.email as cuenta', 'q.email as quien'])
    .where('b.at', '>', sql<Date>`now() - interval '1 day'`)
    .where((eb) => eb.or([eb('b.que', 'like', 'cuenta.%'), eb('b.que', '=', 'acreditacion')]))
    .orderBy('b.id')
    .execute()
}
