import { sql } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import type { AuditSubject } from './schema.ts'

/** One line of the log, with whom it names. */
export interface AuditLogLine extends AuditSubject {
  id: number
  at: Date
  /** Address of the account that did it, `VOTER` for any voter's; null: no account. */
  quien: string | null
  /** Null beside a voter: two lines of one network would say who stood beside whom. */
  desde: string | null
}

export interface AuditLogFilter {
  /** The beginning of the event's name: «acceso», «documento». */
  que?: string | undefined
  /** Address of an organiser's or a journalist's account: what it did, or what was done to it. */
  persona?: string | undefined
  /** Both days included, in Mexico City. */
  desde?: Date | undefined
  hasta?: Date | undefined
}

const LINES = 40

/**
 * What the log says in place of a voter's address. The sums of each hour are public: where an hour has a single vote,
 * the minute of entering would tell whose vote it was.
 */
const VOTER = 'Votante'
/** The events by which voters enter, also those who get a role later. */
const VOTER_SIGN_INS = ['acceso.codigo', 'acceso.google']

/** A page of the log, newest first, with the lines at its edges when there are others beyond them. */
interface AuditLogPage {
  lineas: AuditLogLine[]
  masNuevas: number | undefined
  masAntiguas: number | undefined
}

/** @param where only lines that are older (`antes`) or newer (`despues`) than this one */
export async function listAuditLog(
  db: Database,
  filter: AuditLogFilter,
  where: { antes?: number | undefined; despues?: number | undefined } = {},
): Promise<AuditLogPage> {
  const { que, persona, desde, hasta } = filter
  const { antes, despues } = where
  const isBack = antes === undefined && despues !== undefined
  let query = db
    .selectFrom('bitacora as b')
    .leftJoin('profiles as q', 'q.id', 'b.quien')
    .leftJoin('profiles as c', 'c.id', 'b.cuenta')
    .selectAll('b')
    .select(['q.email as q_email', 'q.role as q_role', 'c.email as c_email', 'c.role as c_role'])
    .orderBy('b.id', isBack ? 'asc' : 'desc')
    .limit(LINES + 1)
  if (antes !== undefined) query = query.where('b.id', '<', antes)
  else if (isBack) query = query.where('b.id', '>', despues)
  if (que) query = query.where((eb) => eb.or([eb('b.que', '=', que), eb('b.que', 'like', `${que}.%`)]))
  if (persona) {
    const found = await db
      .selectFrom('profiles')
      .select('id')
      .where('email', '=', persona)
      .where('role', 'is not', null)
      .executeTakeFirst()
    const id = found?.id ?? ''
    query = query
      .where((eb) => eb.or([eb('b.quien', '=', id), eb('b.cuenta', '=', id)]))
      .where('b.que', 'not in', VOTER_SIGN_INS)
  }
  if (desde) query = query.where('b.at', '>=', desde)
  if (hasta) query = query.where('b.at', '<=', hasta)
  const rows = await query.execute()
  // Fewer lines than a page: going back has reached the first page, which is shown whole.
  if (isBack && rows.length < LINES) return listAuditLog(db, filter)
  const shown = rows.slice(0, LINES)
  if (isBack) shown.reverse()
  const isMore = rows.length > LINES
  return {
    lineas: shown.map(({ q_email, q_role, c_email, c_role, ...line }) => {
      const nameOf = (email: string, role: string | null) =>
        role === null || VOTER_SIGN_INS.includes(line.que) ? VOTER : email
      // Organisers and journalists keep their account for good: one that is gone and came or went was a voter's.
      const gone = (id: string | null) => (id !== null && /^(acceso|salida)/.test(line.que) ? VOTER : id)
      const who = q_email === null ? gone(line.quien) : nameOf(q_email, q_role)
      const account = c_email === null ? gone(line.cuenta) : nameOf(c_email, c_role)
      return { ...line, quien: who, cuenta: account, desde: (who ?? account) === VOTER ? null : line.desde }
    }),
    masNuevas: (isBack ? isMore : antes !== undefined) ? shown[0]?.id : undefined,
    masAntiguas: isBack || isMore ? shown.at(-1)?.id : undefined,
  }
}

interface FinishedDeletion {
  /** Receipt of the deletion. */
  acuse: string
  at: Date
  motivo: 'solicitud' | 'plazo'
  /** An organiser's address; null: the site itself. */
  quien: string | null
}

/** The last deletions that were finished, newest first: the log is all that is kept of them. */
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

/** A change of an account, with the addresses that both have now. */
export interface AccountChange {
  id: number
  que: string
  at: Date
  cuenta: string | null
  /** null: nobody with an account; `desde` says from where. */
  quien: string | null
  desde: string
}

/** What was done to accounts within the last day, oldest first. */
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
