import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Services } from '#app/core/http/services.server.ts'

type Keys = Pick<Services, 'keyed'>

const SEAL_KEY_PURPOSE = 'sello'

/** Signs a text with the site's key, which an attacker with access to the database alone does not have. */
export const signSeal = ({ keyed }: Keys, text: string): Buffer =>
  createHmac('sha256', keyed(SEAL_KEY_PURPOSE)).update(text).digest()

export function isSealSigned(keys: Keys, text: string, signature: Buffer): boolean {
  const expectedSignature = signSeal(keys, text)
  return signature.length === expectedSignature.length && timingSafeEqual(signature, expectedSignature)
}
