import { expect } from 'vitest'
import { createCuenta } from '#app/accounts/people/mutations.server.ts'
import type { Rol } from '#app/accounts/schema.ts'
import { TERMINAL } from '#app/audit/mutations.server.ts'
import type { Database } from '#app/core/db/database.server.ts'

export const CLAVE = 'guayaba-29-trenza'

let people = 0
/** A new organiser or journalist, whose password is CLAVE, as an author for the log. */
export async function makePersona(db: Database, rol: Rol = 'admin') {
  const correo = `persona${++people}@comite.example`
  expect(await createCuenta(db, { correo, rol, clave: CLAVE }, TERMINAL)).toMatchObject({ ok: true })
  const { id } = await db.selectFrom('profiles').select('id').where('email', '=', correo).executeTakeFirstOrThrow()
  return { id, correo, autor: { quien: id, desde: 'rastro' } }
}
