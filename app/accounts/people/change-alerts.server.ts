import { accountChangeLetter } from '#app/accounts/mails.server.ts'
import { PERMISSIONS } from '#app/accounts/rules.ts'
import { listAccountChanges } from '#app/audit/data.server.ts'
import { actionInWords } from '#app/audit/schema.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { findQueued, mailSenderOf, queueMail } from '#app/mail/mutations.server.ts'
import { applyDeactivations } from './deactivations.server.ts'

const TURN_MS = 5_000
/**
 * Tells every organiser of every change of an account, by what the log says of it: whoever changes one, in the panel,
 * by a link or at the terminal, cannot leave it out. Each message has the name of its line and its reader, so that it is
 * queued once, over all processes.
 */
export async function sendChangeAlerts(services: Pick<Services, 'db' | 'settings' | 'keyed'>): Promise<void> {
  const { db } = services
  const changes = await listAccountChanges(db)
  if (changes.length === 0) return
  const organisers = await db
    .selectFrom('profiles')
    .select(['id', 'email', 'created_at'])
    .where('role', 'in', PERMISSIONS.personas)
    .where('baja_at', 'is', null)
    .execute()
  const letters = changes.flatMap((change) =>
    // Whoever joined later is not told of what was before.
    organisers
      .filter(({ created_at }) => created_at <= change.at)
      .map(({ id, email }) => ({ cambio: change, to: email, idempotencyKey: `cambio:${change.id}:${id}` })),
  )
  const queued = await findQueued(
    db,
    letters.map(({ idempotencyKey }) => idempotencyKey),
  )
  for (const { cambio, to, idempotencyKey } of letters) {
    if (queued.has(idempotencyKey)) continue
    const { que, at, cuenta, quien, desde } = cambio
    await queueMail(db, {
      ...accountChangeLetter({
        ...{ que: actionInWords(que), cuenta: cuenta ?? 'una cuenta que ya no está', at },
        quien: quien ?? (desde === 'terminal' ? 'Desde la terminal del sitio' : 'Por un enlace o el sitio mismo'),
      }),
      ...{ to, remite: mailSenderOf(services), idempotencyKey },
    })
  }
}

/** Carries out withdrawals whose day has come, and tells of changes, turn by turn. @returns a function that ends it */
export function startChangeAlerts(services: Services): () => void {
  let running = false
  const turn = async () => {
    if (running) return
    running = true
    try {
      await applyDeactivations(services)
      await sendChangeAlerts(services)
    } catch (error) {
      services.log.warn({ err: error }, 'changes of accounts could not be told; they are tried again')
    } finally {
      running = false
    }
  }
  const timer = setInterval(() => void turn(), TURN_MS).unref()
  return () => clearInterval(timer)
}
