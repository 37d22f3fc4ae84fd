import type { KeyObject } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Services } from '#app/core/http/services.server.ts'
import { decrypt as decryptText, encrypt } from '#app/core/process/authenticated-encryption.server.ts'

/** A composed message has a subject and two forms of its body. */
export interface ComposedMail {
  subject: string
  text: string
  html: string
}

/** The text is bound to these columns of its row: in another row it cannot be decrypted. */
export interface MailRow {
  idempotencyKey: string
  to: string
}

export const mailKeyOf = ({ keyed }: Pick<Services, 'keyed'>): KeyObject => keyed('correos')

const placeOf = ({ idempotencyKey, to }: MailRow) => JSON.stringify([idempotencyKey, to])

/**
 * Returns a function that encrypts one message for many people, each with an individual word in it; the shared text is compressed
 * once.
 * @param placeholder stands in the message wherever the individual word goes; '' where there is none
 */
export function createMailCipher(key: KeyObject, { subject, text, html }: ComposedMail, placeholder = '') {
  const shared = deflateRawSync(JSON.stringify([subject, text, html]))
  // The line feed ends the individual part, since JSON on one line contains none.
  return (mailRow: MailRow, ownPart = ''): Buffer =>
    encrypt(key, placeOf(mailRow), Buffer.concat([Buffer.from(`${JSON.stringify([placeholder, ownPart])}\n`), shared]))
}

/** Decrypts a message. @returns undefined when the text was encrypted with another key or for another row, or was changed */
export function decrypt(key: KeyObject, mailRow: MailRow, ciphertext: Buffer): ComposedMail | undefined {
  const plain = decryptText(key, placeOf(mailRow), ciphertext)
  if (!plain) return undefined
  try {
    const end = plain.indexOf('\n')
    const [placeholder, ownPart] = JSON.parse(plain.toString('utf8', 0, end)) as [string, string]
    const words = JSON.parse(inflateRawSync(plain.subarray(end + 1)).toString()) as [string, string, string]
    const [subject, text, html] = words.map((one) =>
      placeholder === '' ? one : one.replaceAll(placeholder, () => ownPart),
    )
    return { subject: subject!, text: text!, html: html! }
  } catch {
    return undefined
  }
}
