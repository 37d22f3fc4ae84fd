import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto'

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * Encrypts data with AES-256-GCM. The result begins with the random nonce of 96 bits and ends with the tag.
 * @param associatedData must be the same for decrypting, for example the row that the data belongs to
 * @source NIST SP 800-38D, section 8.2.2
 */
export function encrypt(key: KeyObject, associatedData: string, plain: string | Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(associatedData))
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/** Decrypts data. @returns undefined if it was changed, or encrypted with another key or other associated data */
export function decrypt(key: KeyObject, associatedData: string, ciphertext: Buffer): Buffer | undefined {
  try {
    const decipher = createDecipheriv(ALGORITHM, key, ciphertext.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.from(associatedData)).setAuthTag(ciphertext.subarray(-TAG_BYTES))
    return Buffer.concat([decipher.update(ciphertext.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
  } catch {
    return undefined
  }
}
