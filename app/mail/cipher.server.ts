import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Services } from '#app/core/http/services.server.ts'

const ALGORITHM = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16

/** A composed message has a subject and two forms of its body. */
export interface ComposedMail {
  subject: string
  text: string
  html: string
}

/** These columns of a message's row are its additional authenticated data: in another row the text cannot be decrypted. */
export interface MailRow {
  idempotencyKey: string
  to: string
}

export const mailKeyOf = ({ keyed }: Pick<Services, 'keyed'>): KeyObject => keyed('correos')

const dataOf = ({ idempotencyKey, to }: MailRow) => Buffer.from(JSON.stringify([idempotencyKey, to]))

/**
 * Returns a function that encrypts one message for many people, each with an individual word in it; the shared text is compressed
 * once.
 * @param placeholder stands in the message wherever the individual word goes; '' where there is none
 * @source NIST SP 800-38D, section 8.2.2: random nonces of 96 bits
 */
export function createMailCipher(key: KeyObject, { subject, text, html }: ComposedMail, placeholder = '') {
  const shared = deflateRawSync(JSON.stringify([subject, text, html]))
  return (mailRow: MailRow, ownPart = ''): Buffer => {
    const iv = randomBytes(IV_BYTES)
    const cipher = createCipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES }).setAAD(dataOf(mailRow))
    // The line feed ends the individual part, since JSON on one line contains none.
    const own = cipher.update(`${JSON.stringify([placeholder, ownPart])}\n`, 'utf8')
    return Buffer.concat([iv, own, cipher.update(shared), cipher.final(), cipher.getAuthTag()])
  }
}

/** Decrypts a message. @returns undefined when the text was encrypted with another key or for another row, or was changed */
export function decrypt(key: KeyObject, mailRow: MailRow, ciphertext: Buffer): ComposedMail | undefined {
  try {
    const decipher = createDecipheriv(ALGORITHM, key, ciphertext.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
      .setAAD(dataOf(mailRow))
      .setAuthTag(ciphertext.subarray(-TAG_BYTES))
    const plain = Buffer.concat([decipher.update(ciphertext.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()])
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
