import { sql } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import type { AuditSubject } from './schema.ts'

/** In a log line that a screen shows, mail addresses replace account ids. */
export interface AuditLogLine extends AuditSubject {
  id: number
  at: Date
  /** The address of the acting account, `VOTER` for a voter, or null for an actor without an account. */
  quien: string | null
  /** The source, as in `Actor`. It is null on a voter's line: its network could match a named person's line. */
  desde: string | null
}

export interface AuditLogFilter {
  /** `que` selects one event name and all names below it: «acceso» also selects «acceso.codigo». */
  que?: string | undefined
  /** The address of an account with a role, which is the actor or the subject of the selected lines. */
  account?: string | undefined
  /** `from` and `to` are the first and the last moment of the selected lines, both included. */
  from?: Date | undefined
  to?: Date | undefined
}

const LINES_PER_PAGE = 40

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
  newerThan: number | undefined
  olderThan: number | undefined
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
  const isTowardsNewer = before === undefined && after !== undefined
  let query = db
    .selectFrom('bitacora as b')
    .leftJoin('profiles as q', 'q.id', 'b.quien')
    .leftJoin('profiles as c', 'c.id', 'b.cuenta')
    .selectAll('b')
    .select(['q.email as q_email', 'q.role as q_role', 'c.email as c_email', 'c.role as c_role'])
    .orderBy('b.id', isTowardsNewer ? 'asc' : 'desc')
    .limit(LINES_PER_PAGE + 1)
  if (before !== undefined) query = query.where('b.id', '<', before)
  else if (isTowardsNewer) query = query.where('b.id', '>', after)
  if (que) query = query.where((eb) => eb.or([eb('b.que', '=', que), eb('b.que', 'like', `${que}.%`)]))
  if (address) {
    const filteredAccount = await db
      .selectFrom('profiles')
      .select('id')
      .where('email', '=', address)
      .where('role', 'is not', null)
      .executeTakeFirst()
    const id = filteredAccount?.id ?? ''
    query = query
      .where((eb) => eb.or([eb('b.quien', '=', id), eb('b.cuenta', '=', id)]))
      .where('b.que', 'not in', VOTER_SIGN_INS)
  }
  if (from) query = query.where('b.at', '>=', from)
  if (to) query = query.where('b.at', '<=', to)
  const rows = await query.execute()
  // With fewer newer lines than fill a page, the reader has reached the first page, which is shown whole.
  if (isTowardsNewer && rows.length < LINES_PER_PAGE) return listAuditLog(db, filter)
  const pageRows = rows.slice(0, LINES_PER_PAGE)
  if (isTowardsNewer) pageRows.reverse()
  const hasMore = rows.length > LINES_PER_PAGE
  return {
    lines: pageRows.map(({ q_email, q_role, c_email, c_role, ...line }) => {
      const labelOf = (email: string, role: string | null) =>
        role === null || VOTER_SIGN_INS.includes(line.que) ? VOTER : email
      // Accounts with a role are never deleted, so a deleted account that signed in or out was a voter's.
      const labelOfDeleted = (id: string | null) => (id !== null && /^(acceso|salida)/.test(line.que) ? VOTER : id)
      const actorLabel = q_email === null ? labelOfDeleted(line.quien) : labelOf(q_email, q_role)
      const account = c_email === null ? labelOfDeleted(line.cuenta) : labelOf(c_email, c_role)
      return {
        ...line,
        quien: actorLabel,
        cuenta: account,
        desde: (actorLabel ?? account) === VOTER ? null : line.desde,
      }
    }),
    newerThan: (isTowardsNewer ? hasMore : before !== undefined) ? pageRows[0]?.id : undefined,
    olderThan: isTowardsNewer || hasMore ? pageRows.at(-1)?.id : undefined,
  }
}

interface FinishedDeletion {
  acknowledgementCode: string
  at: Date
  reason: 'solicitud' | 'plazo'
  /** The organiser's address, or null for an actor without an account, such as the site itself. */
  organiserEmail: string | null
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
    acknowledgementCode: acuse ?? '',
    at,
    reason: que === 'borrado.plazo' ? 'plazo' : 'solicitud',
    organiserEmail: email,
  }))
}

/** A change of an account names the actor and the account by their current addresses. */
export interface AccountChange {
  id: number
  que: string
  at: Date
  cuenta: string | null
  /** Null for an actor without an account, whom `desde` names. */
  quien: string | null
  desde: string
}

/**
 * Returns the changes of accounts within the last 24 hours by the database's clock, oldest first, and who took a backup or saw its
 * key, since a backup with its key is the whole site.
 */
export async function listAccountChanges(db: Database): Promise<AccountChange[]> {
  return db
    .selectFrom('bitacora as b')
    .leftJoin('profiles as c', 'c.id', 'b.cuenta')
    .leftJoin('profiles as q', 'q.id', 'b.quien')
    .select(['b.id', 'b.que', 'b.at', 'b.desde', 'c.email as cuenta', 'q.email as quien'])
    .where('b.at', '>', sql<Date>`now() - interval '1 day'`)
    .where((eb) =>
      eb.or([eb('b.que', 'like', 'cuenta.%'), eb('b.que', '=', 'acreditacion'), eb('b.que', 'like', 'respaldo.%')]),
    )
    .orderBy('b.id')
    .execute()
}
