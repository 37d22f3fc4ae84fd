/** A vote without its voter. */
export interface Ballot {
  /** The receipt's SHA-256 in hexadecimal. */
  recibo: string
  candidata: string
}

/** What the site publishes of a block of the chain while the vote is open. */
export interface BlockSummary {
  numero: number
  papeletas: number
  sello: string
}

/** The previous seal that the first block of a chain states. */
export const GENESIS_SEAL = '0'.repeat(64)

/**
 * Minimum of ballots in every block but the last: an observer who votes just before and just after another person cannot single
 * out that person's vote. The last block may be smaller, so the minimum does not protect its votes.
 */
export const MIN_BLOCK_BALLOTS = 200

/**
 * Returns the text that a seal covers: number, previous seal and ballots, as the published file states them.
 * @param ballots sorted by hashed receipt, as in the published file
 */
export function sealedText(number: number, previousSeal: string, ballots: readonly Ballot[]): string {
  let text = `${number}\n${previousSeal}\n`
  for (const { recibo, candidata } of ballots) text += `${recibo} ${candidata}\n`
  return text
}

const bytes = new TextEncoder()

/** Returns the text's SHA-256 in hexadecimal. It uses Web Crypto, since browsers verify records, too. */
export async function sha256(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes.encode(text)))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
