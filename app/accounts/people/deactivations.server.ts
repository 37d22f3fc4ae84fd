import { BAJA_HOURS } from '#app/accounts/rules.ts'
import { type Autor, anotar } from '#app/audit/mutations.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { type HechoDeCuenta, onCuenta, withdraw } from './mutations.server.ts'

/** An organiser who is to be withdrawn. */
export interface Baja {
  correo: string
  /** Address of who asked for it. */
  pedidaPor: string | null
  surteAt: Date
}

/**
 * Withdraws a journalist at once; an organiser after a day, within which any organiser can stop it. Whoever finds a
 * session open cannot throw the committee out of its own site.
 * @param now the site's clock
 * @returns surteAt: when it takes effect
 */
export async function askBaja(
  db: Database,
  correo: string,
  now: Date,
  autor: Autor & { quien: string },
): Promise<HechoDeCuenta<{ surteAt: Date }>> {
  let surteAt = now
  const done = await onCuenta(db, correo, async (tx, cuenta) => {
    if (cuenta.role !== 'admin') return withdraw(tx, cuenta, now, autor)
    if (cuenta.isLastAdmin) return 'ultimo-admin'
    surteAt = new Date(now.getTime() + BAJA_HOURS * 3_600_000)
    const made = await tx
      .insertInto('bajas')
      .values({ user_id: cuenta.id, pedida_por: autor.quien, pedida_at: now, surte_at: surteAt })
      .onConflict((conflict) => conflict.doNothing())
      .returning('user_id')
      .executeTakeFirst()
    if (!made) return 'pedida'
    await anotar(tx, autor, { que: 'cuenta.baja.pedida', cuenta: cuenta.id })
    return undefined
  })
  return done.ok ? { ok: true, surteAt } : done
}

/** Stops a withdrawal before its day. */
export const stopBaja = (db: Database, correo: string, autor: Autor): Promise<HechoDeCuenta> =>
  onCuenta(db, correo, async (tx, { id }) => {
    const gone = await tx.deleteFrom('bajas').where('user_id', '=', id).returning('user_id').executeTakeFirst()
    if (!gone) return 'desconocida'
    await anotar(tx, autor, { que: 'cuenta.baja.detenida', cuenta: id })
    return undefined
  })

/** Organisers who are to be withdrawn. */
export async function listBajas(db: Database): Promise<Baja[]> {
  const rows = await db
    .selectFrom('bajas')
    .innerJoin('profiles', 'profiles.id', 'bajas.user_id')
    .leftJoin('profiles as p', 'p.id', 'bajas.pedida_por')
    .select(['profiles.email', 'p.email as pedida_por', 'surte_at'])
    .where('profiles.baja_at', 'is', null)
    .execute()
  return rows.map(({ email, pedida_por, surte_at }) => ({ correo: email, pedidaPor: pedida_por, surteAt: surte_at }))
}

/** Carries out the withdrawals whose day has come; each once, over all processes. */
export async function applyBajas({ db, clock }: Pick<Services, 'db' | 'clock'>): Promise<void> {
  const now = clock.now()
  const due = await db
    .selectFrom('bajas')
    .innerJoin('profiles', 'profiles.id', 'bajas.user_id')
    .select(['user_id', 'profiles.email', 'pedida_por'])
    .where('surte_at', '<=', now)
    .execute()
  for (const { user_id, email, pedida_por } of due)
    await onCuenta(db, email, async (tx, cuenta) => {
      const held = await tx.deleteFrom('bajas').where('user_id', '=', user_id).returning('user_id').executeTakeFirst()
      // Somebody stopped it meanwhile, or another process has carried it out.
      if (!held) return undefined
      return withdraw(tx, cuenta, now, { quien: pedida_por, desde: 'sitio' })
    })
}
