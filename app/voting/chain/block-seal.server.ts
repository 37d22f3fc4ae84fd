import { hash } from 'node:crypto'
import { withHyphens } from '#app/voting/election/receipt.ts'
import { type Ballot, GENESIS_SEAL, MIN_BLOCK_BALLOTS, sealedText } from '#app/voting/record/block-seal.ts'

export const hashText = (text: string) => hash('sha256', text)

/**
 * Returns the hash that stands for a receipt in the chain and in the file. The hash covers the text shown to the voter: capitals,
 * with hyphens.
 * @param receipt without hyphens; null: the row has none
 */
export const hashReceipt = (receipt: string | null) => hashText(withHyphens(receipt ?? ''))

/** Sorts ballots in place by their hashed receipts, a random order that hides the order of voting. */
export const sortBallots = <P extends Ballot>(ballots: P[]): P[] =>
  ballots.sort((a, b) => (a.recibo < b.recibo ? -1 : a.recibo > b.recibo ? 1 : 0))

/**
 * Returns the seal of a block, which covers its number, the previous seal and the ballots, exactly as the published file states
 * them.
 * @param ballots sorted
 */
export const sealOf = (number: number, previousSeal: string, ballots: readonly Ballot[]): string =>
  hashText(sealedText(number, previousSeal, ballots))

/** A published block holds this many ballots that its place in the chain does not reveal when a person voted. */
export interface Block {
  numero: number
  anterior: string
  sello: string
  /** The ballots are sorted by their hashed receipts. */
  papeletas: Ballot[]
}

/**
 * Combines sealed batches into the blocks of a record from a version that closed no blocks during the vote. The last
 * block takes the remainder.
 */
export async function* packBlocks(sealedBatches: AsyncIterable<{ ballots: Ballot[] }>): AsyncGenerator<Block> {
  let number = 0
  let previousSeal = GENESIS_SEAL
  const close = (ballots: Ballot[]): Block => {
    const block = {
      numero: ++number,
      anterior: previousSeal,
      sello: sealOf(number, previousSeal, sortBallots(ballots)),
      papeletas: ballots,
    }
    previousSeal = block.sello
    return block
  }
  // The last full block is held back, so that leftover ballots at the end can join it.
  let full: Ballot[] | undefined
  let open: Ballot[] = []
  for await (const { ballots } of sealedBatches) {
    open.push(...ballots)
    if (open.length < MIN_BLOCK_BALLOTS) continue
    if (full) yield close(full)
    full = open
    open = []
  }
  const last = [...(full ?? []), ...open]
  if (last.length > 0) yield close(last)
}
