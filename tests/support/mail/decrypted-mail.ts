import { keysOf } from '#app/core/process/session-secret.server.ts'
import { decrypt, mailKeyOf, type Written } from '#app/mail/cipher.server.ts'

/** The keys of the sites that openTestSite makes. */
export const KEYED = keysOf('x'.repeat(40))
export const SENDER = { sitio: 'https://feria.example', llave: mailKeyOf({ keyed: KEYED }) }

/** Decrypts a queued message. @param keyed the keys of the site that queued it */
export function decryptMail(
  row: { idempotency_key: string; recipient: string; cifrado: Buffer | null },
  keyed = KEYED,
): Written {
  const fila = { idempotencyKey: row.idempotency_key, to: row.recipient }
  const words = row.cifrado && decrypt(mailKeyOf({ keyed }), fila, row.cifrado)
  if (!words) throw new Error('The message cannot be read')
  return words
}
