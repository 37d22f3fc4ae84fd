/** A vote without its voter. */
export interface Ballot {
  /** Hash of the receipt, hexadecimal. */
  recibo: string
  candidata: string
}

/** A link of the published chain, as everybody is told of it. */
export interface BlockSummary {
  numero: number
  /** How many ballots it holds. */
  papeletas: number
  sello: string
}

/** The «seal before» of a chain's first link. */
export const GENESIS_SEAL = '0'.repeat(64)

/**
 * A link has at least this many ballots, but for the last: somebody who votes just before and just after a person still
 * cannot single out that vote.
 */
export const MIN_BLOCK_BALLOTS = 200

/**
 * What the seal of a link covers: its number, the seal before, and its ballots, exactly as the published file says them.
 * @param ballots sorted
 */
export function sealedText(number: number, anterior: string, ballots: readonly Ballot[]): string {
  let text = `${number}\n${anterior}\n`
  for (const { recibo, candidata } of ballots) text += `${recibo} ${candidata}\n`
  return text
}

const bytes = new TextEncoder()

/** SHA-256 in hexadecimal, by the means that browsers have as well. */
export async function sha256(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes.encode(text)))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
