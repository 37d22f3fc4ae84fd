import type { Database } from '#app/platform/database.server.ts'
import { type Rol, SOBRE_GOOGLE } from './schema.ts'

export interface CuentaDeOrganizacion {
  correo: string
  rol: Rol
  medio: string | null
  vigenteHasta: Date | null
  bajaAt: Date | null
  /** Whether a password was set: until then only the mailed link opens it. */
  tieneClave: boolean
}

/** Accounts of organisers and journalists, withdrawn ones last. */
export async function listCuentas(db: Database): Promise<CuentaDeOrganizacion[]> {
  const rows = await db
    .selectFrom('profiles')
    .select(['email', 'role', 'medio', 'vigente_hasta', 'baja_at'])
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('accounts')
          .select('accounts.id')
          .whereRef('accounts.user_id', '=', 'profiles.id')
          .where('provider_id', '=', 'credential'),
      ).as('tiene_clave'),
    )
    .where('role', 'is not', null)
    .orderBy('baja_at', (order) => order.asc().nullsFirst())
    .orderBy('role')
    .orderBy('email')
    .execute()
  return rows.map(({ email, role, medio, vigente_hasta, baja_at, tiene_clave }) => ({
    correo: email,
    rol: role!,
    medio,
    vigenteHasta: vigente_hasta,
    bajaAt: baja_at,
    tieneClave: Boolean(tiene_clave),
  }))
}

/** One line of the log, with whom it names. */
export interface LineaDeBitacora {
  id: number
  at: Date
  que: string
  /** Address of the account that did it, `VOTANTE` for any voter's; null: nobody that is known. */
  quien: string | null
  /** What it was done to: an account's address where it is one. */
  sobre: string | null
  /** `sobre` is the keyed hash of an address that no account has. */
  esRastro: boolean
  desde: string
}

export interface FiltroDeBitacora {
  /** What the verb begins with: «acceso», «documento». */
  que?: string | undefined
  /** Address of an organiser's or a journalist's account: what it did, or what was done to it. */
  persona?: string | undefined
  /** Both days included, in Mexico City. */
  desde?: Date | undefined
  hasta?: Date | undefined
}

const LINEAS = 100

/**
 * What the log says of voters, in place of their address: an hour with a single vote has a public sum, and the minute of
 * entering would tell whose it was.
 */
const VOTANTE = 'Votante'
/** How voters enter, also those who get a role later. */
const ENTRADAS_DE_VOTANTE = ['acceso.codigo', 'acceso.google']

/** A page of the log, newest first, with the lines at its edges when there are others beyond them. */
interface PaginaDeBitacora {
  lineas: LineaDeBitacora[]
  masNuevas: number | undefined
  masAntiguas: number | undefined
}

/** @param donde only what is older (`antes`) or newer (`despues`) than this line */
export async function listBitacora(
  db: Database,
  filtro: FiltroDeBitacora,
  donde: { antes?: number | undefined; despues?: number | undefined } = {},
): Promise<PaginaDeBitacora> {
  const { que, persona, desde, hasta } = filtro
  const { antes, despues } = donde
  const isBack = antes === undefined && despues !== undefined
  let query = db
    .selectFrom('bitacora as b')
    .leftJoin('profiles as q', 'q.id', 'b.quien')
    .leftJoin('profiles as s', 's.id', 'b.sobre')
    .select(['b.id', 'b.at', 'b.que', 'b.quien', 'b.sobre', 'b.desde', 'q.email as q_email', 's.email as s_email'])
    .select(['q.role as q_role', 's.role as s_role'])
    .orderBy('b.id', isBack ? 'asc' : 'desc')
    .limit(LINEAS + 1)
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
      .where((eb) => eb.or([eb('b.quien', '=', id), eb('b.sobre', '=', id)]))
      .where('b.que', 'not in', ENTRADAS_DE_VOTANTE)
  }
  if (desde) query = query.where('b.at', '>=', desde)
  if (hasta) query = query.where('b.at', '<=', hasta)
  const rows = await query.execute()
  // Too few for a page: that is the first one, which is shown whole.
  if (isBack && rows.length < LINEAS) return listBitacora(db, filtro)
  const shown = rows.slice(0, LINEAS)
  if (isBack) shown.reverse()
  const isMore = rows.length > LINEAS
  return {
    lineas: shown.map(({ id, at, que, quien, sobre, desde, q_email, q_role, s_email, s_role }) => {
      const nameOf = (email: string, role: Rol | null) =>
        role === null || ENTRADAS_DE_VOTANTE.includes(que) ? VOTANTE : email
      return {
        id,
        at,
        que,
        quien: q_email === null ? quien : nameOf(q_email, q_role),
        sobre: s_email === null ? sobre : nameOf(s_email, s_role),
        esRastro: que === 'acceso.fallido' && sobre !== SOBRE_GOOGLE && s_email === null,
        desde,
      }
    }),
    masNuevas: (isBack ? isMore : antes !== undefined) ? shown[0]?.id : undefined,
    masAntiguas: isBack || isMore ? shown.at(-1)?.id : undefined,
  }
}
