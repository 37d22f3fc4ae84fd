import type { KeyObject } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Services } from '#app/core/http/services.server.ts'
import { decrypt as decryptText, encrypt } from '#app/core/process/authenticated-encryption.server.ts'

/** Subject and both bodies of a mail. */
export interface ComposedMail {
  subject: string
  text: string
  html: string
}

/** Columns that the ciphertext is authenticated with (associated data): in another row it cannot be decrypted. @source RFC 5116 */
export interface MailIdentity {
  idempotencyKey: string
  to: string
}

export const mailKeyOf = ({ keyed }: Pick<Services, 'keyed'>): KeyObject => keyed('correos')

const associatedDataOf = ({ idempotencyKey, to }: MailIdentity) => JSON.stringify([idempotencyKey, to])

/**
 * Returns a function that encrypts a mail for each of many recipients, with an individual part such as a code; the shared text is
 * compressed once.
 * @param placeholder stands in the mail wherever the individual part goes; '' for a mail without one
 */
export function createMailCipher(key: KeyObject, { subject, text, html }: ComposedMail, placeholder = '') {
  const sharedPart = deflateRawSync(JSON.stringify([subject, text, html]))
  // The line feed ends the individual part, since JSON on one line contains none.
  return (mailRow: MailIdentity, ownPart = ''): Buffer =>
    encrypt(
      key,
      associatedDataOf(mailRow),
      Buffer.concat([Buffer.from(`${JSON.stringify([placeholder, ownPart])}\n`), sharedPart]),
    )
}

/** Decrypts a mail. @returns undefined if it was encrypted with another key or for another row, or was changed */
export function decryptMail(key: KeyObject, mailRow: MailIdentity, ciphertext: Buffer): ComposedMail | undefined {
  const plaintext = decryptText(key, associatedDataOf(mailRow), ciphertext)
  if (!plaintext) return undefined
  try {
    const lineEnd = plaintext.indexOf('\n')
    const [placeholder, ownPart] = JSON.parse(plaintext.toString('utf8', 0, lineEnd)) as [string, string]
    const sharedTexts = JSON.parse(inflateRawSync(plaintext.subarray(lineEnd + 1)).toString()) as string[]
    const [subject, text, html] = sharedTexts.map((sharedText) =>
      placeholder === '' ? sharedText : sharedText.replaceAll(placeholder, () => ownPart),
    )
    return { subject: subject!, text: text!, html: html! }
  } catch {
    return undefined
  }
}
