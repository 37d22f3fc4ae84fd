import type { Database } from '#app/platform/database.server.ts'
import type { Rol } from './schema.ts'

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
