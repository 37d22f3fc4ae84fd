import { createKeyDeriver } from '#app/core/process/session-secret.server.ts'
import { type ComposedMail, decryptMail as decryptRow, mailKeyOf } from '#app/mail/cipher.server.ts'
import type { MailSender } from '#app/mail/schema.ts'

/** Keys of the sites that `openTestSite` opens. */
export const KEYED = createKeyDeriver('x'.repeat(40))
export const SENDER: MailSender = { siteUrl: 'https://feria.example', key: mailKeyOf({ keyed: KEYED }) }

/** Decrypts a queued mail. @param keyed keys of the site that queued it */
export function decryptMail(
  row: { idempotency_key: string; recipient: string; cifrado: Buffer | null },
  keyed = KEYED,
): ComposedMail {
  const queued = { idempotencyKey: row.idempotency_key, to: row.recipient }
  const mail = row.cifrado && decryptRow(mailKeyOf({ keyed }), queued, row.cifrado)
  if (!mail) throw new Error('The mail cannot be decrypted')
  return mail
}
