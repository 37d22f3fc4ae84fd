import { randomUUID } from 'node:crypto'
import type { Aviso } from '#app/accounts/mails.server.ts'
import { sendEnlace } from '#app/accounts/passwords/mailed-links.server.ts'
import { may } from '#app/accounts/rules.ts'
import { type Rol, readCorreo } from '#app/accounts/schema.ts'
import { type Autor, anotar } from '#app/audit/mutations.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { type HechoDeCuenta, onCuenta } from './mutations.server.ts'

/**
 * Makes an organiser's account; its owner gets a message with a link to set the password.
 * @param rol what she does: all, or a part
 */
export async function invitar(
  db: Database,
  { correo: given, rol }: { correo: string; rol: Rol },
  autor: Autor,
  aviso: Aviso,
): Promise<HechoDeCuenta> {
  const correo = readCorreo(given)
  if (!correo) return { ok: false, reason: 'correo' }
  if (!may(rol, 'organizadores')) return { ok: false, reason: 'rol' }
  return db.transaction().execute(async (tx) => {
    const made = await tx
      .insertInto('profiles')
      .values({ id: randomUUID(), name: '', email: correo, email_verified: true, role: rol })
      .onConflict((conflict) =>
        conflict
          .column('email')
          .doUpdateSet({ role: rol, medio: null, vigente_hasta: null, baja_at: null, updated_at: new Date() })
          // A journalist stays one until withdrawn, so that nobody gets to see the documents by a slip.
          .where((eb) => eb.or([eb('profiles.role', 'is', null), eb('profiles.baja_at', 'is not', null)])),
      )
      .returning('id')
      .executeTakeFirst()
    if (!made) return { ok: false, reason: 'repetida' }
    await anotar(tx, autor, { que: `cuenta.creada.${rol}`, cuenta: made.id })
    await sendEnlace(tx, { id: made.id, correo, medio: null }, aviso)
    return { ok: true }
  })
}

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
