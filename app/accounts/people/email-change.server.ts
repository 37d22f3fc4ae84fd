import { sql } from 'kysely'
import { cartaDeCambioDeCorreo } from '#app/accounts/mails.server.ts'
import { CAMBIO_MINUTES, MAX_CAMBIO_ATTEMPTS } from '#app/accounts/rules.ts'
import { readCodigo, readCorreo } from '#app/accounts/schema.ts'
import { huellaDe, isSame } from '#app/accounts/sessions/cookies.server.ts'
import type { Autor } from '#app/audit/mutations.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { makeCode } from '#app/core/text/random-codes.ts'
import { typedText } from '#app/core/text/typed-text.ts'
import { encolarCorreo, remiteDe } from '#app/mail/mutations.server.ts'
import { changeCorreo, type HechoDeCuenta } from './mutations.server.ts'

type Sitio = Pick<Services, 'db' | 'keyed' | 'settings'>

const hashOf = ({ keyed }: Pick<Services, 'keyed'>, userId: string, correo: string, codigo: string) =>
  huellaDe(keyed('cambio-de-correo'), userId, correo, codigo).toString('hex')

/** Sends a code to the address that an account is to have; a code of before becomes void. */
export async function askCambio(services: Sitio, userId: string, given: string): Promise<HechoDeCuenta> {
  const correo = readCorreo(given)
  if (!correo) return { ok: false, reason: 'correo' }
  const codigo = makeCode(6, '0123456789')
  await services.db.transaction().execute(async (tx) => {
    const row = {
      ...{ correo, huella: hashOf(services, userId, correo, codigo), intentos: 0 },
      vence_at: sql<Date>`now() + make_interval(mins => ${CAMBIO_MINUTES})`,
    }
    await tx
      .insertInto('cambios_de_correo')
      .values({ user_id: userId, ...row })
      .onConflict((conflict) => conflict.column('user_id').doUpdateSet(row))
      .execute()
    await encolarCorreo(tx, {
      ...cartaDeCambioDeCorreo(codigo, CAMBIO_MINUTES),
      ...{ to: typedText(given), remite: remiteDe(services) },
      idempotencyKey: `cambio-de-correo:${row.huella}`,
    })
  })
  return { ok: true }
}

/** The address that an account is about to have. */
export async function findCambio({ db }: Pick<Services, 'db'>, userId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('cambios_de_correo')
    .select('correo')
    .where('user_id', '=', userId)
    .where('vence_at', '>', sql<Date>`now()`)
    .where('intentos', '<', MAX_CAMBIO_ATTEMPTS)
    .executeTakeFirst()
  return row?.correo
}

/** Changes an account's address by the code that was sent to the new one. */
export async function confirmCambio(
  services: Sitio,
  sesion: { userId: string; correo: string },
  given: string,
  autor: Autor,
): Promise<HechoDeCuenta<{ correo: string }>> {
  // Counted before it is compared, so that many at once are as many.
  const row = await services.db
    .updateTable('cambios_de_correo')
    .set({ intentos: sql`intentos + 1` })
    .where('user_id', '=', sesion.userId)
    .where('vence_at', '>', sql<Date>`now()`)
    .where('intentos', '<', MAX_CAMBIO_ATTEMPTS)
    .returning(['correo', 'huella'])
    .executeTakeFirst()
  const codigo = readCodigo(given)
  if (!row || !codigo || !isSame(row.huella, hashOf(services, sesion.userId, row.correo, codigo)))
    return { ok: false, reason: 'codigo' }
  const done = await changeCorreo(services.db, sesion.correo, row.correo, autor)
  if (done.ok) await services.db.deleteFrom('cambios_de_correo').where('user_id', '=', sesion.userId).execute()
  return done
}
