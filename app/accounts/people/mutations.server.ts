import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { type Aviso, cartaDeVigencia } from '#app/accounts/mails.server.ts'
import { generatePassword, hashPassword } from '#app/accounts/passwords/hash.server.ts'
import { sendEnlace } from '#app/accounts/passwords/mailed-links.server.ts'
import { insertClave, putClave, tellClave } from '#app/accounts/passwords/save.server.ts'
import { type MotivoDeClave, may, refuseClave } from '#app/accounts/rules.ts'
import { type Rol, readCorreo } from '#app/accounts/schema.ts'
import { type Autor, anotar } from '#app/audit/mutations.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { typedText } from '#app/core/text/typed-text.ts'
import { enMexico } from '#app/core/time/mexico-dates.ts'
import { encolarCorreo } from '#app/mail/mutations.server.ts'

/** The limit of `profiles.medio`. */
const MAX_MEDIO_CHARACTERS = 120

export type MotivoDeCuenta =
  | 'correo'
  | 'medio'
  | 'pasada'
  | 'repetida'
  | 'desconocida'
  | 'ultimo-admin'
  /** The withdrawal was asked for before. */
  | 'pedida'
  /** The code that was sent to a new address is not this one, or ran out. */
  | 'codigo'
  /** There is no second step that could be taken off. */
  | 'sin-segundo'
  /** That is no part of an organiser. */
  | 'rol'
  | MotivoDeClave

export type HechoDeCuenta<T = object> = ({ ok: true } & T) | { ok: false; reason: MotivoDeCuenta }

interface NuevaCuenta {
  correo: string
  rol: Rol
  /** Undefined: one is made. */
  clave?: string | undefined
  medio?: string | undefined
  /** Last moment of the account, by the site's clock; undefined: no end. */
  vigenteHasta?: Date | undefined
}

/**
 * Makes the account of an organiser or a journalist, or makes a withdrawn one anew.
 * @returns its password, which nobody can read again
 */
export async function createCuenta(
  db: Database,
  nueva: NuevaCuenta,
  autor: Autor,
): Promise<HechoDeCuenta<{ clave: string }>> {
  const correo = readCorreo(nueva.correo)
  if (!correo) return { ok: false, reason: 'correo' }
  const clave = nueva.clave ?? generatePassword()
  const reason = refuseClave(clave, correo)
  if (reason) return { ok: false, reason }
  const password = await hashPassword(clave)
  return db.transaction().execute(async (tx) => {
    const fields = {
      name: nueva.medio ?? '',
      role: nueva.rol,
      medio: nueva.medio ?? null,
      vigente_hasta: nueva.vigenteHasta ?? null,
      baja_at: null,
    }
    const made = await tx
      .insertInto('profiles')
      .values({ id: randomUUID(), email: correo, email_verified: true, ...fields })
      .onConflict((conflict) =>
        conflict
          .column('email')
          .doUpdateSet({ ...fields, updated_at: new Date() })
          .where('profiles.baja_at', 'is not', null),
      )
      .returning('id')
      .executeTakeFirst()
    if (!made) return { ok: false, reason: 'repetida' }
    await putClave(tx, made.id, password)
    await anotar(tx, autor, { que: `cuenta.creada.${nueva.rol}`, cuenta: made.id })
    return { ok: true, clave }
  })
}

interface Acreditacion {
  correo: string
  /** The outlet. */
  medio: string
  /** Last moment of the account, by the site's clock; undefined: no end. */
  vigenteHasta?: Date | undefined
}

/**
 * Accredits a journalist, or changes an accreditation: the outlet, until when. A journalist without a password, or who
 * was withdrawn before, gets a message with a link to set one; each further link makes the one before void. A
 * journalist with a password gets a message that says how the accreditation stands now.
 * @returns enlace: whether a link was sent
 */
export async function acreditar(
  db: Database,
  { correo: given, medio, vigenteHasta }: Acreditacion,
  autor: Autor,
  { remite, now }: Aviso,
): Promise<HechoDeCuenta<{ enlace: boolean }>> {
  const correo = readCorreo(given)
  if (!correo) return { ok: false, reason: 'correo' }
  const nombre = typedText(medio)
  if (nombre === '' || [...nombre].length > MAX_MEDIO_CHARACTERS) return { ok: false, reason: 'medio' }
  if (vigenteHasta && vigenteHasta <= now) return { ok: false, reason: 'pasada' }
  return db.transaction().execute(async (tx) => {
    const fields = {
      name: nombre,
      medio: nombre,
      vigente_hasta: vigenteHasta ?? null,
      role: 'prensa',
      baja_at: null,
    } as const
    // A voter's account may become a journalist's; an organiser's may not.
    const made = await tx
      .insertInto('profiles')
      .values({ id: randomUUID(), email: correo, email_verified: true, ...fields })
      .onConflict((conflict) =>
        conflict
          .column('email')
          .doUpdateSet({ ...fields, updated_at: new Date() })
          .where((eb) => eb.or([eb('profiles.role', 'is', null), eb('profiles.role', '=', 'prensa')])),
      )
      .returning('id')
      .executeTakeFirst()
    if (!made) return { ok: false, reason: 'repetida' }
    await anotar(tx, autor, { que: 'acreditacion', cuenta: made.id })
    const conClave = await tx
      .selectFrom('accounts')
      .select('id')
      .where('user_id', '=', made.id)
      .where('provider_id', '=', 'credential')
      .executeTakeFirst()
    if (conClave)
      await encolarCorreo(tx, {
        ...cartaDeVigencia(nombre, vigenteHasta),
        ...{ to: correo, remite },
        idempotencyKey: `vigencia:${randomUUID()}`,
      })
    else await sendEnlace(tx, { id: made.id, correo, medio: nombre }, { remite, now })
    return { ok: true, enlace: !conClave }
  })
}

/** Sends an organiser or a journalist another link to set a password; the one before becomes void. */
export const resendEnlace = (db: Database, correo: string, autor: Autor, aviso: Aviso): Promise<HechoDeCuenta> =>
  onCuenta(db, correo, async (tx, { id, email, role, medio }) => {
    const conClave = await tx
      .selectFrom('accounts')
      .select('id')
      .where('user_id', '=', id)
      .where('provider_id', '=', 'credential')
      .executeTakeFirst()
    const cuenta = { id, correo: email, medio: role === 'prensa' ? (medio ?? email) : null }
    await sendEnlace(tx, { ...cuenta, recupera: conClave !== undefined }, aviso)
    await anotar(tx, autor, { que: 'cuenta.enlace', cuenta: id })
    return undefined
  })

/** Gives an organiser's or journalist's account its other role; its sessions end. An organiser's has no last day. */
export function changeRol(db: Database, correo: string, rol: Rol, autor: Autor): Promise<HechoDeCuenta> {
  return onCuenta(db, correo, async (tx, cuenta) => {
    if (rol !== 'admin' && cuenta.isLastAdmin) return 'ultimo-admin'
    await tx
      .updateTable('profiles')
      .set({
        role: rol,
        ...(may(rol, 'organizadores') && { vigente_hasta: null, medio: null }),
        updated_at: new Date(),
      })
      .where('id', '=', cuenta.id)
      .execute()
    await anotar(tx, autor, { que: `cuenta.rol.${rol}`, cuenta: cuenta.id })
    return undefined
  })
}

/** Sets a new password; the account's sessions end, and its owner is told. @param clave undefined: one is made */
export async function changeClave(
  db: Database,
  correo: string,
  clave: string | undefined,
  autor: Autor,
  aviso: Aviso,
): Promise<HechoDeCuenta<{ clave: string }>> {
  const nueva = clave ?? generatePassword()
  const refused = refuseClave(nueva, correo)
  if (refused) return { ok: false, reason: refused }
  const password = await hashPassword(nueva)
  const done = await onCuenta(db, correo, async (tx, { id, email }) => {
    await putClave(tx, id, password)
    // With a link that is still open, somebody could set another password.
    await tx.deleteFrom('enlaces').where('user_id', '=', id).execute()
    await tellClave(tx, email, aviso)
    await anotar(tx, autor, { que: 'cuenta.clave', cuenta: id })
    return undefined
  })
  return done.ok ? { ok: true, clave: nueva } : done
}

/** Gives an account another address; its sessions end (a trigger sees to that). */
export async function changeCorreo(
  db: Database,
  correo: string,
  given: string,
  autor: Autor,
): Promise<HechoDeCuenta<{ correo: string }>> {
  const nuevo = readCorreo(given)
  if (!nuevo) return { ok: false, reason: 'correo' }
  const done = await onCuenta(db, correo, async (tx, { id }) => {
    const taken = await tx.selectFrom('profiles').select('id').where('email', '=', nuevo).executeTakeFirst()
    if (taken) return 'repetida'
    await tx.updateTable('profiles').set({ email: nuevo, updated_at: new Date() }).where('id', '=', id).execute()
    // A link that went to the old address must not open the account.
    await tx.deleteFrom('enlaces').where('user_id', '=', id).execute()
    await anotar(tx, autor, { que: 'cuenta.correo', cuenta: id })
    return undefined
  })
  return done.ok ? { ok: true, correo: nuevo } : done
}

/**
 * Withdraws an account at once, as the terminal does: no password, no session, nothing opens any more. The panel gives
 * an organiser a day (deactivations.server.ts).
 * @param now the site's clock
 */
export const withdrawCuenta = (db: Database, correo: string, now: Date, autor: Autor): Promise<HechoDeCuenta> =>
  onCuenta(db, correo, (tx, cuenta) => withdraw(tx, cuenta, now, autor))

/** The withdrawal itself, of an account that `onCuenta` holds. */
export async function withdraw(
  tx: Database,
  { id, isLastAdmin }: Cambiante,
  now: Date,
  autor: Autor,
): Promise<MotivoDeCuenta | undefined> {
  if (isLastAdmin) return 'ultimo-admin'
  await tx.updateTable('profiles').set({ baja_at: now, updated_at: new Date() }).where('id', '=', id).execute()
  await tx.deleteFrom('enlaces').where('user_id', '=', id).execute()
  await tx.deleteFrom('bajas').where('user_id', '=', id).execute()
  await anotar(tx, autor, { que: 'cuenta.baja', cuenta: id })
  return undefined
}

/** An account that is about to change. */
export interface Cambiante {
  id: string
  email: string
  role: Rol | null
  medio: string | null
  /** Whether it is an organiser's and no other organiser would be left whose account never runs out. */
  isLastAdmin: boolean
}

/**
 * Runs a change on an account that has a role and was not withdrawn; one at a time. Every organiser's account is locked
 * meanwhile: otherwise two who leave at once could each count on the other to stay. They are locked in one order, so
 * that two changes never wait for each other's rows.
 */
export function onCuenta(
  db: Database,
  correoGiven: string,
  change: (tx: Database, cuenta: Cambiante) => Promise<MotivoDeCuenta | undefined>,
): Promise<HechoDeCuenta> {
  return db.transaction().execute(async (tx) => {
    const correo = readCorreo(correoGiven) ?? typedText(correoGiven).toLowerCase()
    const held = await tx
      .selectFrom('profiles')
      .select(['id', 'email', 'role', 'medio', 'vigente_hasta'])
      .where('role', 'is not', null)
      .where('baja_at', 'is', null)
      .where((eb) => eb.or([eb('email', '=', correo), eb('role', '=', 'admin')]))
      .orderBy('id')
      .forNoKeyUpdate()
      .execute()
    const cuenta = held.find(({ email }) => email === correo)
    if (!cuenta) return { ok: false, reason: 'desconocida' }
    const others = held.filter(({ id, role, vigente_hasta }) => id !== cuenta.id && role === 'admin' && !vigente_hasta)
    const reason = await change(tx, { ...cuenta, isLastAdmin: cuenta.role === 'admin' && others.length === 0 })
    return reason ? { ok: false, reason } : { ok: true }
  })
}

export interface FirstAdmin {
  email: string
  password: string
}

/**
 * Makes the first organiser's account where the site has none, and keeps its password in `file` (mode 0600).
 * Two processes starting at once make one account.
 * @param correo its address (ADMIN_EMAIL)
 * @returns the new account, or undefined when there is an organiser already
 */
export async function createFirstAdmin(
  db: Database,
  file: string,
  now: Date,
  correo = 'organizacion@certamen.local',
): Promise<FirstAdmin | undefined> {
  return db.transaction().execute(async (tx) => {
    const admins = tx.selectFrom('profiles').select('id').where('role', '=', 'admin').limit(1)
    if (await admins.executeTakeFirst()) return undefined
    const admin: FirstAdmin = { email: correo, password: generatePassword() }
    const id = randomUUID()
    const made = await tx
      .insertInto('profiles')
      .values({ id, name: 'Organización', email: admin.email, email_verified: true, role: 'admin' })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst()
    if (!made) return undefined
    await insertClave(tx, id, await hashPassword(admin.password))
    // Written before the account is committed: an account whose password nobody has is worse than a file too many.
    const text = `Primer administrador del sitio (creado el ${enMexico(now)})\nCorreo: ${admin.email}\nContraseña: ${admin.password}\n`
    await writeFile(file, text, { mode: 0o600 })
    return admin
  })
}
