/** Of a day's messages, what codes may take together: the rest is kept for receipts, accounts and notices. */
const PARTE_DE_CODIGOS = 0.7
/** And what those may that were asked for from where no code has been used yet: half of that. */
const PARTE_DE_AJENOS = 0.35

/** Messages of the last 24 hours, sent or on their way. */
export interface UsoDeCorreo {
  codigos: number
  /** Those of the codes that were asked for from where none has been used yet. */
  ajenos: number
  recibos: number
  otros: number
}

/** How many more codes may go out. @param cuota what the provider takes in a day; undefined: nobody knows */
export function quedanCodigos(cuota: number | undefined, { codigos, ajenos }: UsoDeCorreo) {
  if (cuota === undefined) return { codigos: Number.POSITIVE_INFINITY, ajenos: Number.POSITIVE_INFINITY }
  const left = (parte: number, used: number) => Math.max(0, Math.floor(cuota * parte) - used)
  const all = left(PARTE_DE_CODIGOS, codigos)
  return { codigos: all, ajenos: Math.min(all, left(PARTE_DE_AJENOS, ajenos)) }
}
