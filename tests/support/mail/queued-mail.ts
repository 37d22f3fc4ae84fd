import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import pino from 'pino'
import { vi } from 'vitest'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import type { Mailer } from '#app/core/mail-transport/mailer.server.ts'
import type { Log } from '#app/core/process/log.server.ts'
import { createMailCipher } from '#app/mail/cipher.server.ts'
import { startMailWorker } from '#app/mail/worker.server.ts'
import { SENDER } from './decrypted-mail.ts'

export const FROM = { name: 'Señorita Azahares', address: 'avisos@azahares.example' }

/** Short waits of the mail worker, for tests. */
export const FAST_RETRIES = { pollMs: 20, mailBackoffMsAfter: () => 50, serverBackoffMsAfter: () => 50 }

/** Queues mails with a fixed text to a0@ejemplo.mx, a1@… @returns the addresses */
export async function queueMails(
  db: Database,
  count: number,
  options: { isUrgent?: boolean; isExpired?: boolean } = {},
) {
  const addresses = Array.from(
    { length: count },
    (_, index) => `a${index}${options.isUrgent ? '.urge' : ''}@ejemplo.mx`,
  )
  await db
    .insertInto('correos')
    .values(
      addresses.map((recipient) => {
        const idempotencyKey = randomUUID()
        return {
          idempotency_key: idempotencyKey,
          kind: options.isUrgent ? 'codigo' : 'clave',
          priority: options.isUrgent ? (0 as const) : (1 as const),
          recipient,
          cifrado: createMailCipher(SENDER.key, {
            subject: 'Asunto con eñe',
            text: 'Texto',
            html: '<p>Texto</p>',
          })({ idempotencyKey, to: recipient }),
          expires_at: options.isExpired ? sql<Date>`now() - interval '1 second'` : sql<Date>`now() + interval '1 hour'`,
        }
      }),
    )
    .execute()
  return addresses
}

/** Waits until every queued mail has been sent or given up. */
export async function waitForMailQueue(db: Database, timeoutMs = 60_000) {
  await vi.waitFor(
    async () => {
      const pending = await sql<{ n: number }>`
        select count(*) as n from correos where sent_at is null and failed_at is null`.execute(db)
      if (pending.rows[0]!.n > 0) throw new Error(`${pending.rows[0]!.n} messages are still pending`)
    },
    { timeout: timeoutMs, interval: 20 },
  )
}

export function createReadableLog(): { log: Log; lines: string[] } {
  const lines: string[] = []
  return { log: pino({ base: null }, { write: (line: string) => void lines.push(line) }), lines }
}

/** Runs a mail worker until every queued mail has been sent or given up. */
export async function sendQueuedMails(services: Pick<Services, 'db' | 'log' | 'keyed'>, mailer: Mailer): Promise<void> {
  const mailWorker = startMailWorker(services, mailer, FAST_RETRIES)
  await waitForMailQueue(services.db)
  await mailWorker.stop()
}
