import type { KeyObject } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Services } from '#app/core/http/services.server.ts'
import { decrypt, encrypt } from '#app/core/process/authenticated-encryption.server.ts'

export interface ComposedMail {
  subject: string
  text: string
  html: string
}

/**
 * Columns of a mail's row that authenticate the ciphertext (associated data), so that a ciphertext copied into another row cannot
 * be decrypted.
 * @source RFC 5116
 */
export interface MailIdentity {
  idempotencyKey: string
  to: string
}

type SharedTexts = [subject: string, text: string, html: string]

export const mailKeyOf = ({ keyed }: Pick<Services, 'keyed'>): KeyObject => keyed('correos')

const associatedDataOf = ({ idempotencyKey, to }: MailIdentity) => JSON.stringify([idempotencyKey, to])

/**
 * Returns a function that encrypts a mail for each of many recipients, with an individual part such as a code. The texts that all
 * recipients share are compressed once.
 * @param placeholder stands in the mail wherever the individual part goes; '' for a mail without one
 */
export function createMailCipher(key: KeyObject, { subject, text, html }: ComposedMail, placeholder = '') {
  const sharedPart = deflateRawSync(JSON.stringify([subject, text, html] satisfies SharedTexts))
  // The first line is JSON with the placeholder and the individual part. JSON.stringify writes no line feed within it.
  return (identity: MailIdentity, individualPart = ''): Buffer =>
    encrypt(
      key,
      associatedDataOf(identity),
      Buffer.concat([Buffer.from(`${JSON.stringify([placeholder, individualPart])}\n`), sharedPart]),
    )
}

/** Decrypts a mail. @returns undefined if it was encrypted with another key or for another row, or was changed */
export function decryptMail(key: KeyObject, identity: MailIdentity, ciphertext: Buffer): ComposedMail | undefined {
  const plaintext = decrypt(key, associatedDataOf(identity), ciphertext)
  if (!plaintext) return undefined
  try {
    const lineEnd = plaintext.indexOf('\n')
    const [placeholder, individualPart] = JSON.parse(plaintext.toString('utf8', 0, lineEnd)) as [string, string]
    const sharedTexts = JSON.parse(inflateRawSync(plaintext.subarray(lineEnd + 1)).toString()) as SharedTexts
    const [subject, text, html] = sharedTexts.map((sharedText) =>
      placeholder === '' ? sharedText : sharedText.replaceAll(placeholder, () => individualPart),
    )
    return { subject: subject!, text: text!, html: html! }
  } catch {
    return undefined
  }
}
