import { type Autor, anotar } from '#app/bitacora/mutations.server.ts'
import type { Database } from '#app/platform/database.server.ts'
import { type HechoDeCuenta, onCuenta } from './mutations.server.ts'
import { may } from './rules.ts'
import type { Rol } from './schema.ts'

/**
 * Gives an organiser another part, or all; her sessions end. Whoever does all keeps it until withdrawn, of which everybody
 * hears a day before: whoever finds a session open cannot take the site away from the others.
 */
export const changeEncargo = (db: Database, correo: string, rol: Rol, autor: Autor): Promise<HechoDeCuenta> =>
  onCuenta(db, correo, async (tx, cuenta) => {
    if (cuenta.role === 'admin' || !may(cuenta.role, 'organizadores') || !may(rol, 'organizadores')) return 'rol'
    await tx.updateTable('profiles').set({ role: rol, updated_at: new Date() }).where('id', '=', cuenta.id).execute()
    await anotar(tx, autor, { que: `cuenta.rol.${rol}`, cuenta: cuenta.id })
    return undefined
  })
