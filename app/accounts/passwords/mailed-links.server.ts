import { createHash, randomBytes } from 'node:crypto'
import {
  type Aviso,
  cartaDeAcreditacion,
  cartaDeInvitacion,
  cartaDePaso,
  cartaDeRecuperacion,
} from '#app/accounts/mails.server.ts'
import { ENLACE_DAYS, type MotivoDeClave, RECUPERACION_MINUTES, refuseClave } from '#app/accounts/rules.ts'
import type { Rol } from '#app/accounts/schema.ts'
import { anotar } from '#app/audit/mutations.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { encolarCorreo } from '#app/mail/mutations.server.ts'
import { hashPassword } from './hash.server.ts'
import { putClave, tellClave } from './save.server.ts'

const hashOf = (llave: string) => createHash('sha256').update(llave).digest('hex')

/**
 * Queues the message with a link to set a password. An earlier link becomes void.
 * @param cuenta `medio`: the journalist's outlet; null for an organiser. `recupera`: the password was forgotten, or is
 * to be changed
 */
export async function sendEnlace(
  tx: Database,
  { id, correo, medio, recupera = false }: { id: string; correo: string; medio: string | null; recupera?: boolean },
  { remite, now }: Aviso,
): Promise<void> {
  const llave = randomBytes(24).toString('base64url')
  const lastsMs = recupera ? RECUPERACION_MINUTES * 60_000 : ENLACE_DAYS * 24 * 60 * 60_000
  const link = { huella: hashOf(llave), vence_at: new Date(now.getTime() + lastsMs), recupera }
  await tx
    .insertInto('enlaces')
    .values({ user_id: id, ...link })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ ...link, created_at: new Date() }))
    .execute()
  const enlace = `${remite.sitio}/medios/clave?llave=${llave}`
  await encolarCorreo(tx, {
    ...(recupera
      ? cartaDeRecuperacion(enlace, RECUPERACION_MINUTES)
      : medio === null
        ? cartaDeInvitacion(enlace, link.vence_at)
        : cartaDeAcreditacion(medio, enlace, link.vence_at)),
    ...{ to: correo, remite },
    idempotencyKey: `enlace:${link.huella}`,
  })
}

/**
 * Sets a password by the link that was mailed, which serves once; the account's sessions end.
 * @param llave the key in the link
 */
export async function setClaveByEnlace(
  db: Database,
  llave: string,
  clave: string,
  desde: string,
  { remite, now }: Aviso,
): Promise<{ ok: true; rol: Rol; userId: string } | { ok: false; reason: 'enlace' | MotivoDeClave }> {
  const link = await findEnlace(db, llave, now)
  if (!link) return { ok: false, reason: 'enlace' }
  const refused = refuseClave(clave, link.correo)
  if (refused) return { ok: false, reason: refused }
  const password = await hashPassword(clave)
  return db.transaction().execute(async (tx) => {
    // The account is locked before its link, in the order that everybody else keeps: otherwise two could wait for each
    // other's rows for ever.
    await tx
      .selectFrom('profiles')
      .innerJoin('enlaces', 'enlaces.user_id', 'profiles.id')
      .select('profiles.id')
      .where('enlaces.huella', '=', hashOf(llave))
      .forNoKeyUpdate('profiles')
      .execute()
    // Of two requests at once, one finds the link.
    const used = await tx
      .deleteFrom('enlaces')
      .where('huella', '=', hashOf(llave))
      .returning('user_id')
      .executeTakeFirst()
    if (!used) return { ok: false, reason: 'enlace' }
    await putClave(tx, used.user_id, password)
    await anotar(tx, { quien: used.user_id, desde }, { que: 'cuenta.clave', cuenta: used.user_id })
    await tellClave(tx, link.correo, { remite, now })
    return { ok: true, rol: link.rol, userId: used.user_id }
  })
}

/**
 * Sends the owner of an account with a role a link to set a new password, or one past its waits, where there is such an
 * account. Whoever was invited and has chosen no password yet gets the invitation again, with its days.
 * @param makePaso makes a link past the waits, where that is what was asked for
 */
export async function sendRecuperacion(
  db: Database,
  correo: string,
  aviso: Aviso,
  makePaso?: (userId: string, password: string) => string,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const cuenta = await tx
      .selectFrom('profiles')
      .leftJoin('accounts', (join) =>
        join.onRef('accounts.user_id', '=', 'profiles.id').on('provider_id', '=', 'credential'),
      )
      .select(['profiles.id', 'profiles.role', 'profiles.medio', 'accounts.password'])
      .where('email', '=', correo)
      .where('role', 'is not', null)
      // A judge's link comes from the notary's table.
      .where('role', '<>', 'jurado')
      .where('baja_at', 'is', null)
      .where((eb) => eb.or([eb('vigente_hasta', 'is', null), eb('vigente_hasta', '>', aviso.now)]))
      .forNoKeyUpdate('profiles')
      .executeTakeFirst()
    if (!cuenta) return
    if (makePaso && cuenta.password !== null) {
      const llave = makePaso(cuenta.id, cuenta.password)
      await encolarCorreo(tx, {
        ...cartaDePaso(`${aviso.remite.sitio}/medios/paso?llave=${llave}`, RECUPERACION_MINUTES),
        ...{ to: correo, remite: aviso.remite },
        idempotencyKey: `paso:${hashOf(llave)}`,
      })
      return
    }
    const medio = cuenta.role === 'prensa' ? (cuenta.medio ?? correo) : null
    await sendEnlace(tx, { id: cuenta.id, correo, medio, recupera: cuenta.password !== null }, aviso)
  })
}

/** Whose link this is, if it is still good. */
export async function findEnlace(
  db: Database,
  llave: string,
  now: Date,
): Promise<{ correo: string; rol: Rol; medio: string | null } | undefined> {
  const row = await db
    .selectFrom('enlaces')
    .innerJoin('profiles', 'profiles.id', 'enlaces.user_id')
    .select(['email', 'role', 'medio'])
    .where('enlaces.huella', '=', hashOf(llave))
    .where('enlaces.vence_at', '>', now)
    .where('baja_at', 'is', null)
    .executeTakeFirst()
  return row?.role ? { correo: row.email, rol: row.role, medio: row.medio } : undefined
}
