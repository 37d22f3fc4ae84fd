/** Letters and digits of receipts, without I, O, 0 and 1, which are easily confused. */
export const RECEIPT_ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'
export const RECEIPT_CHARACTERS = 12

/** Formats a receipt for people: «7F2K-94QX-M3TR». */
export function withHyphens(receipt: string): string {
  let text = receipt.slice(0, 4)
  for (let start = 4; start < receipt.length; start += 4) text += `-${receipt.slice(start, start + 4)}`
  return text
}

/** Parses a typed receipt, ignoring case, blanks, dots and hyphens. Returns undefined if the text is no receipt. */
export function parseReceipt(text: unknown): string | undefined {
  if (typeof text !== 'string' || text.length > 60) return undefined
  const receipt = text.toUpperCase().replace(/[\s.–—-]/g, '')
  return receipt.length === RECEIPT_CHARACTERS && [...receipt].every((letter) => RECEIPT_ALPHABET.includes(letter))
    ? receipt
    : undefined
}
