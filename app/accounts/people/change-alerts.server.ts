import { accountChangeLetter } from '#app/accounts/mails.server.ts'
import { PERMISSIONS } from '#app/accounts/rules.ts'
import { listAccountChanges } from '#app/audit/data.server.ts'
import { actionInWords } from '#app/audit/schema.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { findUsedIdempotencyKeys, mailSenderOf, queueMail } from '#app/mail/mutations.server.ts'
import { applyDeactivations } from './deactivations.server.ts'

/**
 * Mails every `admin` the account changes of the last 24 hours (`listAccountChanges`), so that no way to change an account (panel,
 * link or terminal) goes unnoticed. The idempotency key has the line and the `admin`, so that all processes together queue each
 * mail once.
 */
export async function sendChangeAlerts(services: Pick<Services, 'db' | 'settings' | 'keyed'>): Promise<void> {
  const { db } = services
  const changes = await listAccountChanges(db)
  if (changes.length === 0) return
  const admins = await db
    .selectFrom('profiles')
    .select(['id', 'email', 'created_at'])
    .where('role', 'in', PERMISSIONS.personas)
    .where('baja_at', 'is', null)
    .execute()
  const alerts = changes.flatMap((change) =>
    // An `admin` is not told of changes from before her account was made.
    admins
      .filter(({ created_at }) => created_at <= change.at)
      .map(({ id, email }) => ({ accountChange: change, to: email, idempotencyKey: `cambio:${change.id}:${id}` })),
  )
  const usedKeys = await findUsedIdempotencyKeys(
    db,
    alerts.map(({ idempotencyKey }) => idempotencyKey),
  )
  for (const { accountChange, to, idempotencyKey } of alerts) {
    if (usedKeys.has(idempotencyKey)) continue
    const { que, at, cuenta, quien, desde } = accountChange
    await queueMail(db, {
      ...accountChangeLetter({
        action: actionInWords(que),
        account: accountInWords(que, cuenta),
        at,
        actor: quien ?? (desde === 'terminal' ? 'Desde la terminal del sitio' : 'Por un enlace o el sitio mismo'),
      }),
      to,
      sender: mailSenderOf(services),
      idempotencyKey,
    })
  }
}

/** Returns the email of a changed account, or in Spanish why there is none: the event is about backups, or the account is gone. */
const accountInWords = (eventName: string, email: string | null) =>
  email ?? (eventName.startsWith('respaldo.') ? 'ninguna: son los respaldos del sitio' : 'una cuenta que ya no está')

/** Carries out due deactivations, and mails account changes. */
export async function runChangeAlerts(services: Services): Promise<void> {
  await applyDeactivations(services)
  await sendChangeAlerts(services)
}
