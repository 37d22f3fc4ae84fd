import { hash } from 'node:crypto'
import { withHyphens } from '#app/voting/election/receipt.ts'
import { type Ballot, GENESIS_SEAL, MIN_BLOCK_BALLOTS, sealedText } from '#app/voting/record/block-seal.ts'

export const hashText = (text: string) => hash('sha256', text)

/**
 * Stands for a receipt in the chain and in the file: the hash of what its voter was shown, in capitals and with
 * hyphens.
 * @param receipt without hyphens; null: the row has none
 */
export const hashReceipt = (receipt: string | null) => hashText(withHyphens(receipt ?? ''))

/** Sorts ballots by their hashed receipts: a random order, which does not say who voted first. */
export const sorted = <P extends Ballot>(ballots: P[]): P[] =>
  ballots.sort((a, b) => (a.recibo < b.recibo ? -1 : a.recibo > b.recibo ? 1 : 0))

/**
 * The seal of a link covers its number, the seal before, and its ballots: exactly what the published file says.
 * @param ballots sorted
 */
export const sealOf = (number: number, anterior: string, ballots: readonly Ballot[]): string =>
  hashText(sealedText(number, anterior, ballots))

/** A published link. It holds so many ballots that its place in the chain does not tell when anybody voted. */
export interface Block {
  numero: number
  anterior: string
  sello: string
  /** Sorted. */
  papeletas: Ballot[]
}

/**
 * Puts sealed batches together into the links of an act that was sealed before links were closed while the vote was open;
 * the last takes what is left over.
 */
export async function* boxed(sealedBatches: AsyncIterable<{ papeletas: Ballot[] }>): AsyncGenerator<Block> {
  let number = 0
  let anterior = GENESIS_SEAL
  const close = (ballots: Ballot[]): Block => {
    const block = { numero: ++number, anterior, sello: sealOf(number, anterior, sorted(ballots)), papeletas: ballots }
    anterior = block.sello
    return block
  }
  // The last full link is held back: ballots left over at the end join it.
  let full: Ballot[] | undefined
  let open: Ballot[] = []
  for await (const { papeletas } of sealedBatches) {
    open.push(...papeletas)
    if (open.length < MIN_BLOCK_BALLOTS) continue
    if (full) yield close(full)
    full = open
    open = []
  }
  const last = [...(full ?? []), ...open]
  if (last.length > 0) yield close(last)
}
