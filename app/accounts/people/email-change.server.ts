import { sql } from 'kysely'
import { emailChangeLetter } from '#app/accounts/mails.server.ts'
import { EMAIL_CHANGE_MINUTES, MAX_EMAIL_CHANGE_ATTEMPTS } from '#app/accounts/rules.ts'
import { parseCode, parseEmail } from '#app/accounts/schema.ts'
import { fingerprintOf, isSameText } from '#app/accounts/sessions/cookies.server.ts'
import type { Actor } from '#app/audit/mutations.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { randomCode } from '#app/core/text/random-codes.ts'
import { typedText } from '#app/core/text/typed-text.ts'
import { mailSenderOf, queueMail } from '#app/mail/mutations.server.ts'
import { type AccountChangeResult, changeEmail } from './mutations.server.ts'

type EmailChangeServices = Pick<Services, 'db' | 'keyed' | 'settings'>

const hashOf = ({ keyed }: Pick<Services, 'keyed'>, userId: string, email: string, code: string) =>
  fingerprintOf(keyed('cambio-de-correo'), userId, email, code).toString('hex')

/** Mails a code to an account's new address; an earlier code becomes void. */
export async function requestEmailChange(
  services: EmailChangeServices,
  userId: string,
  typedEmail: string,
): Promise<AccountChangeResult> {
  const email = parseEmail(typedEmail)
  if (!email) return { ok: false, reason: 'address' }
  const code = randomCode(6, '0123456789')
  await services.db.transaction().execute(async (tx) => {
    const row = {
      correo: email,
      huella: hashOf(services, userId, email, code),
      intentos: 0,
      vence_at: sql<Date>`now() + make_interval(mins => ${EMAIL_CHANGE_MINUTES})`,
    }
    await tx
      .insertInto('cambios_de_correo')
      .values({ user_id: userId, ...row })
      .onConflict((conflict) => conflict.column('user_id').doUpdateSet(row))
      .execute()
    await queueMail(tx, {
      ...emailChangeLetter(code, EMAIL_CHANGE_MINUTES),
      to: typedText(typedEmail),
      sender: mailSenderOf(services),
      idempotencyKey: `cambio-de-correo:${row.huella}`,
    })
  })
  return { ok: true }
}

/** Returns the new address whose code an account may still type; undefined without one. */
export async function findEmailChange({ db }: Pick<Services, 'db'>, userId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('cambios_de_correo')
    .select('correo')
    .where('user_id', '=', userId)
    .where('vence_at', '>', sql<Date>`now()`)
    .where('intentos', '<', MAX_EMAIL_CHANGE_ATTEMPTS)
    .executeTakeFirst()
  return row?.correo
}

/** Changes an account's address by the code that was mailed to the new address. */
export async function confirmEmailChange(
  services: EmailChangeServices,
  session: { userId: string; email: string },
  typedCode: string,
  actor: Actor,
): Promise<AccountChangeResult<{ email: string }>> {
  // An attempt is counted before the comparison, so that concurrent attempts cannot exceed the limit.
  const row = await services.db
    .updateTable('cambios_de_correo')
    .set({ intentos: sql`intentos + 1` })
    .where('user_id', '=', session.userId)
    .where('vence_at', '>', sql<Date>`now()`)
    .where('intentos', '<', MAX_EMAIL_CHANGE_ATTEMPTS)
    .returning(['correo', 'huella'])
    .executeTakeFirst()
  const code = parseCode(typedCode)
  if (!row || !code || !isSameText(row.huella, hashOf(services, session.userId, row.correo, code)))
    return { ok: false, reason: 'wrongCode' }
  const changeResult = await changeEmail(services.db, session.email, row.correo, actor)
  if (changeResult.ok) await services.db.deleteFrom('cambios_de_correo').where('user_id', '=', session.userId).execute()
  return changeResult
}
