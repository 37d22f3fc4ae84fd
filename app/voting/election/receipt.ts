/** Characters of a receipt: none that looks or sounds like another. */
export const LETRAS_RECIBO = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'
export const RECIBO_CHARACTERS = 12

/** A receipt as people read it: «7F2K-94QX-M3TR». */
export function conGuiones(recibo: string): string {
  let text = recibo.slice(0, 4)
  for (let at = 4; at < recibo.length; at += 4) text += `-${recibo.slice(at, at + 4)}`
  return text
}

/** A receipt as somebody types it, whatever stands between its letters; undefined: the text cannot be one. */
export function readRecibo(text: unknown): string | undefined {
  if (typeof text !== 'string' || text.length > 60) return undefined
  const recibo = text.toUpperCase().replace(/[\s.–—-]/g, '')
  return recibo.length === RECIBO_CHARACTERS && [...recibo].every((letter) => LETRAS_RECIBO.includes(letter))
    ? recibo
    : undefined
}
