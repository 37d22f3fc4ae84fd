import { expect } from 'vitest'
import { createAccount } from '#app/accounts/people/mutations.server.ts'
import type { Role } from '#app/accounts/schema.ts'
import { TERMINAL } from '#app/audit/mutations.server.ts'
import type { Database } from '#app/core/db/database.server.ts'

export const PASSWORD = 'guayaba-29-trenza'

let createdCount = 0
/** Creates an account of an organiser or journalist with the password PASSWORD. `actor` is that person in the audit log. */
export async function makePerson(db: Database, role: Role = 'admin') {
  const email = `persona${++createdCount}@comite.example`
  expect(await createAccount(db, { email, role, password: PASSWORD }, TERMINAL)).toMatchObject({
    ok: true,
  })
  const { id } = await db.selectFrom('profiles').select('id').where('email', '=', email).executeTakeFirstOrThrow()
  return { id, email, actor: { quien: id, desde: 'rastro' } }
}
