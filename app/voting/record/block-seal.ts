/** A `Ballot` is a vote without its voter. */
export interface Ballot {
  /** The receipt's SHA-256 in hexadecimal. */
  recibo: string
  candidata: string
}

/** A `BlockSummary` is what the site publishes of a block of the chain while the vote is open. */
export interface BlockSummary {
  numero: number
  papeletas: number
  sello: string
}

/** The first block of a chain states this value as its previous seal. */
export const GENESIS_SEAL = '0'.repeat(64)

/**
 * Every block but the last has at least this many ballots: an observer who votes just before and just after a person cannot
 * single out that vote. The last block may be smaller, so the minimum does not protect its votes.
 */
export const MIN_BLOCK_BALLOTS = 200

/**
 * Returns the text that a block's seal covers: number, previous seal and ballots, as the published file states them.
 * @param ballots sorted by hashed receipt, as in the published file
 */
export function sealedText(number: number, previousSeal: string, ballots: readonly Ballot[]): string {
  let text = `${number}\n${previousSeal}\n`
  for (const { recibo, candidata } of ballots) text += `${recibo} ${candidata}\n`
  return text
}

const bytes = new TextEncoder()

/** Returns the text's SHA-256 in hexadecimal, by Web Crypto, which browsers have as well. */
export async function sha256(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes.encode(text)))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
