import { sql } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import type { AuditSubject } from './schema.ts'

/** A line of the audit log for a screen, with email addresses in place of account ids. */
export interface AuditLogLine extends AuditSubject {
  id: number
  at: Date
  /** Email address of the actor, `VOTER` for a voter, the id of an account that is gone, or null for an actor without an account. */
  quien: string | null
  /** `desde` of the actor, but null for a voter, whose network could appear in a line of a named person, too. */
  desde: string | null
}

export interface AuditLogFilter {
  /** Event name. «acceso» also selects the names below it, such as «acceso.codigo». */
  que?: string | undefined
  /** Email address of an account with a role. Selects lines of which it is the actor or the subject, but no VOTER_SIGN_INS. */
  account?: string | undefined
  /** First moment, inclusive. */
  from?: Date | undefined
  /** Last moment, inclusive. */
  to?: Date | undefined
}

const LINES_PER_PAGE = 40

/**
 * Stands in place of a voter's email address. Since votes are shown by the hour, the time of a sign-in would reveal the choice
 * of the only voter within an hour.
 */
const VOTER = 'Votante'
/** Events that only voters cause. Their lines stay anonymous even after the voter's account gets a role. */
const VOTER_SIGN_INS = ['acceso.codigo', 'acceso.google']

interface AuditLogPage {
  /** Lines of the page, newest first. */
  lines: AuditLogLine[]
  /** Id of the first line, if newer lines exist. */
  newerThan: number | undefined
  /** Id of the last line, if older lines exist. */
  olderThan: number | undefined
}

/**
 * Reads a page of the audit log.
 * @param cursor id of a line. With `before`, which overrides `after`, the page has older lines; with `after` it has newer lines
 * or, if they do not fill a page, it is the first page, which has the newest lines and some older ones.
 */
export async function listAuditLog(
  db: Database,
  filter: AuditLogFilter,
  cursor: { before?: number | undefined; after?: number | undefined } = {},
): Promise<AuditLogPage> {
  const { que, account: address, from, to } = filter
  const { before, after } = cursor
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
  if (isTowardsNewer && rows.length < LINES_PER_PAGE) return listAuditLog(db, filter)
  const pageRows = rows.slice(0, LINES_PER_PAGE)
  if (isTowardsNewer) pageRows.reverse()
  const hasMore = rows.length > LINES_PER_PAGE
  return {
    lines: pageRows.map(({ q_email, q_role, c_email, c_role, ...line }) => {
      const labelOf = (email: string, role: string | null) =>
        role === null || VOTER_SIGN_INS.includes(line.que) ? VOTER : email
      // A deleted account that signed in or out was a voter's, since accounts with a role are never deleted.
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
  /** Address of the organiser; null for an actor without an account, such as the site itself. */
  organiserEmail: string | null
}

/** Returns the last finished deletions of entries, newest first, from their lines in the audit log. */
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

export interface AccountChange {
  id: number
  /** Event name. */
  que: string
  at: Date
  /** Current email address of the account; null for an account that is gone, and for an event about backups. */
  cuenta: string | null
  /** Current email address of the actor; null for an actor without an account, whom `desde` names instead. */
  quien: string | null
  desde: string
}

/**
 * Returns the changes of accounts within the last 24 hours by the database's clock, oldest first. They include the events about
 * backups, since a downloaded backup and its key together give access to the whole site.
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
