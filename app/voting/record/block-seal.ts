/** A vote without its voter. */
export interface Ballot {
  /** SHA-256 of the receipt in hexadecimal. */
  recibo: string
  /** The candidate's name as it was when the vote was cast. */
  candidata: string
}

/** The parts of a block that the site publishes while the vote is open. */
export interface BlockSummary {
  numero: number
  papeletas: number
  sello: string
}

/** The first block of a chain states this as its previous seal. */
export const GENESIS_SEAL = '0'.repeat(64)

/**
 * Every block but the last has at least this many ballots. An observer who votes just before and just after another person then
 * cannot single out that person's vote. In the last block this protection may be missing.
 */
export const MIN_BLOCK_BALLOTS = 200

/**
 * Returns the text that a seal covers: number, previous seal and ballots, with the candidates' names.
 * @param ballots sorted by hashed receipt, as in the published file
 */
export function sealedText(number: number, previousSeal: string, ballots: readonly Ballot[]): string {
  let text = `${number}\n${previousSeal}\n`
  for (const { recibo, candidata } of ballots) text += `${recibo} ${candidata}\n`
  return text
}

const encoder = new TextEncoder()

/** Returns the text's SHA-256 in hexadecimal, by Web Crypto, since browsers verify records, too. */
export async function sha256(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', encoder.encode(text)))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
