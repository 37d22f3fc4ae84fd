import { randomBytes, randomUUID } from 'node:crypto'
import type { Database } from '#app/core/db/database.server.ts'

/** No mail reaches a judge's account: it has no mailbox, no password, and no second step. */
const DOMINIO = 'jurado.invalid'

/**
 * Makes the account of a judge, or changes until when it holds; whatever session it had is over.
 * @param cuenta the judge's account, if there is one
 * @param apodo what the log calls the account: letters, digits, hyphens
 * @param hasta last moment, by the site's clock
 * @returns the account
 */
export async function makeCuentaDeJurado(
  tx: Database,
  { cuenta, apodo, nombre, hasta }: { cuenta: string | null; apodo: string; nombre: string; hasta: Date },
): Promise<string> {
  if (cuenta !== null) {
    await tx
      .updateTable('profiles')
      .set({ name: nombre, vigente_hasta: hasta, updated_at: new Date() })
      .where('id', '=', cuenta)
      .where('role', '=', 'jurado')
      .execute()
    await endSesionesDeJurado(tx, [cuenta])
    return cuenta
  }
  const id = randomUUID()
  const email = `${apodo}-${randomBytes(3).toString('hex')}@${DOMINIO}`
  await tx
    .insertInto('profiles')
    .values({
      ...{ id, name: nombre, email, email_verified: false, role: 'jurado' },
      ...{ medio: null, vigente_hasta: hasta, baja_at: null },
    })
    .execute()
  return id
}

/** Shuts out the telephones of judges. */
export async function endSesionesDeJurado(tx: Database, cuentas: readonly string[]): Promise<void> {
  if (cuentas.length > 0) await tx.deleteFrom('sessions').where('user_id', 'in', cuentas).execute()
}

/** The evening is over: the judges' accounts open nothing from this moment on. */
export async function endCuentasDeJurado(tx: Database, cuentas: readonly string[], now: Date): Promise<void> {
  if (cuentas.length === 0) return
  await tx
    .updateTable('profiles')
    .set({ vigente_hasta: now })
    .where('id', 'in', cuentas)
    .where('role', '=', 'jurado')
    .execute()
  await endSesionesDeJurado(tx, cuentas)
}

/** Which device a judge's open session is of; null: there is none. */
export async function listEquiposDeJurado(
  db: Database,
  cuentas: readonly string[],
): Promise<Map<string, { equipo: string | null; at: Date }>> {
  if (cuentas.length === 0) return new Map()
  const rows = await db
    .selectFrom('sessions')
    .select(['user_id', 'equipo', 'created_at'])
    .where('user_id', 'in', cuentas)
    .orderBy('created_at')
    .execute()
  return new Map(rows.map(({ user_id, equipo, created_at }) => [user_id, { equipo, at: created_at }]))
}
