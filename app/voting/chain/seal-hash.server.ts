import { hash } from 'node:crypto'
import { withHyphens } from '#app/voting/election/receipt.ts'
import { type Ballot, GENESIS_SEAL, MIN_BLOCK_BALLOTS, sealedText } from '#app/voting/record/block-seal.ts'

export const hashText = (text: string) => hash('sha256', text)

/**
 * Returns the hash that replaces a receipt in the chain and in the published file. It covers the receipt as voters see it, in
 * capitals with hyphens.
 * @param receipt without hyphens; null for a row without a receipt
 */
export const hashReceipt = (receipt: string | null) => hashText(withHyphens(receipt ?? ''))

/** Sorts ballots in place by their hashed receipts. The resulting order is random, so it hides the order of voting. */
export const sortBallots = <AnyBallot extends Ballot>(ballots: AnyBallot[]): AnyBallot[] =>
  ballots.sort((a, b) => (a.recibo < b.recibo ? -1 : a.recibo > b.recibo ? 1 : 0))

/**
 * Returns the seal of a block or batch: the hash of `sealedText`.
 * @param ballots sorted
 */
export const sealOf = (number: number, previousSeal: string, ballots: readonly Ballot[]): string =>
  hashText(sealedText(number, previousSeal, ballots))

/** A block made of sealed batches, with its ballots. */
export interface PackedBlock {
  numero: number
  anterior: string
  sello: string
  /** The block's ballots, sorted by hashed receipt. */
  papeletas: Ballot[]
}

/**
 * Combines sealed batches into blocks, for the record of a vote that an earlier version of the site held without publishing
 * blocks. The last block also gets the remaining ballots.
 */
export async function* packBlocks(sealedBatches: AsyncIterable<{ ballots: Ballot[] }>): AsyncGenerator<PackedBlock> {
  let number = 0
  let previousSeal = GENESIS_SEAL
  const close = (ballots: Ballot[]): PackedBlock => {
    const block = {
      numero: ++number,
      anterior: previousSeal,
      sello: sealOf(number, previousSeal, sortBallots(ballots)),
      papeletas: ballots,
    }
    previousSeal = block.sello
    return block
  }
  // The newest full block is held back: if it is the last block, it also gets the remaining ballots.
  let fullBallots: Ballot[] | undefined
  let openBallots: Ballot[] = []
  for await (const { ballots } of sealedBatches) {
    openBallots.push(...ballots)
    if (openBallots.length < MIN_BLOCK_BALLOTS) continue
    if (fullBallots) yield close(fullBallots)
    fullBallots = openBallots
    openBallots = []
  }
  const lastBallots = [...(fullBallots ?? []), ...openBallots]
  if (lastBallots.length > 0) yield close(lastBallots)
}
