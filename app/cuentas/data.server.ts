import type { Database } from '#app/platform/database.server.ts'
import type { Rol } from './schema.ts'

export interface CuentaDeOrganizacion {
  correo: string
  rol: Rol
  medio: string | null
  vigenteHasta: Date | null
  bajaAt: Date | null
}

/** Accounts of organisers and journalists, withdrawn ones last. */
export async function listCuentas(db: Database): Promise<CuentaDeOrganizacion[]> {
  const rows = await db
    .selectFrom('profiles')
    .select(['email', 'role', 'medio', 'vigente_hasta', 'baja_at'])
    .where('role', 'is not', null)
    .orderBy('baja_at', (order) => order.asc().nullsFirst())
    .orderBy('role')
    .orderBy('email')
    .execute()
  return rows.map(({ email, role, medio, vigente_hasta, baja_at }) => ({
    correo: email,
    rol: role!,
    medio,
    vigenteHasta: vigente_hasta,
    bajaAt: baja_at,
  }))
}
