import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto'

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * Encrypts a text under a random nonce of 96 bits, which begins the result; the tag ends it.
 * @param boundTo says where the text belongs: in another place it cannot be decrypted
 * @source NIST SP 800-38D, section 8.2.2
 */
export function encrypt(key: KeyObject, boundTo: string, plain: string | Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(boundTo))
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/** Decrypts a text; undefined: it was encrypted with another key or for another place, or was changed. */
export function decrypt(key: KeyObject, boundTo: string, ciphertext: Buffer): Buffer | undefined {
  try {
    const decipher = createDecipheriv(ALGORITHM, key, ciphertext.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.from(boundTo)).setAuthTag(ciphertext.subarray(-TAG_BYTES))
    return Buffer.concat([decipher.update(ciphertext.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
  } catch {
    return undefined
  }
}
