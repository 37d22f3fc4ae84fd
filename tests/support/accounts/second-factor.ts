import { createOTP } from '@better-auth/utils/otp'

/** The key of an application of codes as the screen shows it, back as the secret that it stands for. */
export function secretOf(password: string): string {
  const bits = [...password.replace(/\s/g, '')]
    .map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'))
    .join('')
  return (bits.match(/.{8}/g) ?? []).map((byte) => String.fromCharCode(Number.parseInt(byte, 2))).join('')
}

/** What the telephone shows. @param steps how many half minutes from now */
export const codeOf = (secret: string, steps = 0): Promise<string> =>
  createOTP(secret).hotp(Math.floor(Date.now() / 30_000) + steps)

/** A code that is not the right one. */
export const wrong = (right: string): string => (right === '000000' ? '111111' : '000000')
