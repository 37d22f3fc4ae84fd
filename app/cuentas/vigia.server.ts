import { sql } from 'kysely'
import { queEnPalabras } from '#app/bitacora/schema.ts'
import { encolarCorreo, remiteDe } from '#app/correo/mutations.server.ts'
import type { Services } from '#app/platform/services.server.ts'
import { applyBajas } from './bajas.server.ts'
import { cartaDeCuenta } from './correos.server.ts'

const TURN_MS = 5_000
/** Changes of longer ago are not told any more: the site stood still for more than a day. */
const LOOKED_BACK = '1 day'

/** A change of an account that an organiser has not been told of. */
interface Cambio {
  id: number
  que: string
  at: Date
  cuenta: string | null
  quien: string | null
  to: string
}

/**
 * Tells every organiser of every change of an account, by what the log says of it: whoever changes one, in the panel,
 * by a link or at the terminal, cannot leave it out. Each message is queued once, over all processes.
 */
export async function tellCambios(services: Pick<Services, 'db' | 'settings' | 'keyed'>): Promise<void> {
  const { db } = services
  const { rows } = await sql<Cambio>`
    select b.id, b.que, b.at, c.email as cuenta, coalesce(q.email, b.desde) as quien, o.email as to
    from bitacora b
    left join profiles c on c.id = b.cuenta
    left join profiles q on q.id = b.quien
    cross join profiles o
    where b.at > now() - ${LOOKED_BACK}::interval and (b.que like 'cuenta.%' or b.que = 'acreditacion')
      and o.role = 'admin' and o.baja_at is null
      -- Whoever joined later is not told of what was before.
      and o.created_at <= b.at
      and not exists (select from correos m where m.idempotency_key = 'cambio:' || b.id || ':' || o.id)
    order by b.id limit 200`.execute(db)
  for (const { id, que, at, cuenta, quien, to } of rows) {
    const carta = cartaDeCuenta({
      ...{ que: queEnPalabras(que), cuenta: cuenta ?? 'una cuenta que ya no está', at },
      quien: quien === null || quien === 'terminal' ? 'Desde la terminal del sitio' : quien,
    })
    const { id: organizador } = await db
      .selectFrom('profiles')
      .select('id')
      .where('email', '=', to)
      .executeTakeFirstOrThrow()
    await encolarCorreo(db, {
      ...carta,
      ...{ to, remite: remiteDe(services) },
      idempotencyKey: `cambio:${id}:${organizador}`,
    })
  }
}

/** Carries out withdrawals whose day has come, and tells of changes, turn by turn. @returns a function that ends it */
export function startVigia(services: Services): () => void {
  let running = false
  const turn = async () => {
    if (running) return
    running = true
    try {
      await applyBajas(services)
      await tellCambios(services)
    } catch (error) {
      services.log.warn({ err: error }, 'changes of accounts could not be told; they are tried again')
    } finally {
      running = false
    }
  }
  const timer = setInterval(() => void turn(), TURN_MS).unref()
  return () => clearInterval(timer)
}
