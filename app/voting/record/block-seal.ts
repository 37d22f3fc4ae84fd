/** A vote without its voter. */
export interface Papeleta {
  /** Hash of the receipt, hexadecimal. */
  recibo: string
  candidata: string
}

/** A link of the published chain, as everybody is told of it. */
export interface CajaDicha {
  numero: number
  /** How many ballots it holds. */
  papeletas: number
  sello: string
}

/** The «seal before» of a chain's first link. */
export const PRINCIPIO = '0'.repeat(64)

/**
 * A link has at least this many ballots, but for the last: somebody who votes just before and just after a person still
 * cannot single out that vote.
 */
export const MIN_CAJA = 200

/**
 * What the seal of a link covers: its number, the seal before, and its ballots, exactly as the published file says them.
 * @param papeletas sorted
 */
export function sealedText(numero: number, anterior: string, papeletas: readonly Papeleta[]): string {
  let text = `${numero}\n${anterior}\n`
  for (const { recibo, candidata } of papeletas) text += `${recibo} ${candidata}\n`
  return text
}

const bytes = new TextEncoder()

/** SHA-256 in hexadecimal, by the means that browsers have as well. */
export async function sha256(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes.encode(text)))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
