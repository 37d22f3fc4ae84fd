import { createOTP } from '@better-auth/utils/otp'

/** Decodes the key that the screen shows for an authenticator app (Base32, RFC 4648) into the secret. */
export function secretOf(shownKey: string): string {
  const bits = [...shownKey.replace(/\s/g, '')]
    .map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'))
    .join('')
  return (bits.match(/.{8}/g) ?? []).map((byte) => String.fromCharCode(Number.parseInt(byte, 2))).join('')
}

/** Returns the code that an authenticator app shows. @param steps number of 30-second steps from now */
export const codeOf = (secret: string, steps = 0): Promise<string> =>
  createOTP(secret).hotp(Math.floor(Date.now() / 30_000) + steps)

export const wrongCode = (rightCode: string): string => (rightCode === '000000' ? '111111' : '000000')
