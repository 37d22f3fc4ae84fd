/** A vote without its voter. */
export interface Ballot {
  /** Hash of the receipt, hexadecimal. */
  recibo: string
  candidata: string
}

/** The public summary of a block of the published chain. */
export interface BlockSummary {
  numero: number
  papeletas: number
  sello: string
}

/** The previous seal of a chain's first block. */
export const GENESIS_SEAL = '0'.repeat(64)

/**
 * Minimum number of ballots of a block, but for the last: an observer who votes just before and just after a person still
 * cannot single out that vote.
 */
export const MIN_BLOCK_BALLOTS = 200

/**
 * Text that a block's seal covers: number, previous seal and ballots, exactly as the published file states them.
 * @param ballots sorted
 */
export function sealedText(number: number, previousSeal: string, ballots: readonly Ballot[]): string {
  let text = `${number}\n${previousSeal}\n`
  for (const { recibo, candidata } of ballots) text += `${recibo} ${candidata}\n`
  return text
}

const bytes = new TextEncoder()

/** SHA-256 in hexadecimal, by Web Crypto, which browsers have as well. */
export async function sha256(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes.encode(text)))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
