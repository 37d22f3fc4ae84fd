import { hash } from 'node:crypto'
import { conGuiones } from '#app/voting/election/receipt.ts'
import { MIN_CAJA, type Papeleta, PRINCIPIO, sealedText } from '#app/voting/record/block-seal.ts'

export const hashText = (text: string) => hash('sha256', text)

/**
 * Stands for a receipt in the chain and in the file: the hash of what its voter was shown, in capitals and with
 * hyphens.
 * @param recibo without hyphens; null: the row has none
 */
export const hashRecibo = (recibo: string | null) => hashText(conGuiones(recibo ?? ''))

/** Sorts ballots by their hashed receipts: a random order, which does not say who voted first. */
export const sorted = <P extends Papeleta>(papeletas: P[]): P[] =>
  papeletas.sort((a, b) => (a.recibo < b.recibo ? -1 : a.recibo > b.recibo ? 1 : 0))

/**
 * The seal of a link covers its number, the seal before, and its ballots: exactly what the published file says.
 * @param papeletas sorted
 */
export const sealOf = (numero: number, anterior: string, papeletas: readonly Papeleta[]): string =>
  hashText(sealedText(numero, anterior, papeletas))

/** A published link. It holds so many ballots that its place in the chain does not tell when anybody voted. */
export interface Caja {
  numero: number
  anterior: string
  sello: string
  /** Sorted. */
  papeletas: Papeleta[]
}

/**
 * Puts sealed batches together into the links of an act that was sealed before links were closed while the vote was open;
 * the last takes what is left over.
 */
export async function* boxed(lotes: AsyncIterable<{ papeletas: Papeleta[] }>): AsyncGenerator<Caja> {
  let numero = 0
  let anterior = PRINCIPIO
  const close = (papeletas: Papeleta[]): Caja => {
    const caja = { numero: ++numero, anterior, sello: sealOf(numero, anterior, sorted(papeletas)), papeletas }
    anterior = caja.sello
    return caja
  }
  // The last full link is held back: ballots left over at the end join it.
  let full: Papeleta[] | undefined
  let open: Papeleta[] = []
  for await (const { papeletas } of lotes) {
    open.push(...papeletas)
    if (open.length < MIN_CAJA) continue
    if (full) yield close(full)
    full = open
    open = []
  }
  const last = [...(full ?? []), ...open]
  if (last.length > 0) yield close(last)
}
