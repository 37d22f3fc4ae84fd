import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import type { Database } from '#app/platform/database.server.ts'
import { generatePassword, hashPassword } from './password.server.ts'

export interface FirstAdmin {
  email: string
  password: string
}

/**
 * Makes the first organiser's account where the site has none, and keeps its password in `file` (mode 0600).
 * Two processes starting at once make one account.
 * @returns the new account, or undefined when there is an organiser already
 */
export async function createFirstAdmin(db: Database, file: string, now: Date): Promise<FirstAdmin | undefined> {
  return db.transaction().execute(async (tx) => {
    const admins = tx.selectFrom('profiles').select('id').where('role', '=', 'admin').limit(1)
    if (await admins.executeTakeFirst()) return undefined
    const admin: FirstAdmin = { email: 'organizacion@certamen.local', password: generatePassword() }
    const id = randomUUID()
    const made = await tx
      .insertInto('profiles')
      .values({ id, name: 'Organización', email: admin.email, email_verified: true, role: 'admin' })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst()
    if (!made) return undefined
    await tx
      .insertInto('accounts')
      .values({
        id: randomUUID(),
        user_id: id,
        account_id: id,
        provider_id: 'credential',
        password: await hashPassword(admin.password),
      })
      .execute()
    // Written before the account is committed: an account whose password nobody has is worse than a file too many.
    const text = `Primer administrador del sitio (creado el ${now.toISOString()})\nCorreo: ${admin.email}\nContraseña: ${admin.password}\n`
    await writeFile(file, text, { mode: 0o600 })
    return admin
  })
}
