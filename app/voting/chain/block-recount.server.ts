import type { Services } from '#app/core/http/services.server.ts'
import { GENESIS_SEAL, MIN_BLOCK_BALLOTS } from '#app/voting/record/block-seal.ts'
import type { ClosingRecord } from '#app/voting/record/schema.ts'
import { type BlockRow, isBlockSigned, listBlocks } from './published-blocks.server.ts'
import { type ChainRecount, MAX_NAMED_FAULTS } from './recount.server.ts'

/** Extent of the published chain at a recount: number of blocks, and seal of the last block. */
interface BlockExtent {
  cajas: number
  ultima_caja: string | null
}

/**
 * Checks the order, the signatures and the sizes of the published blocks, and compares the blocks with their ballots, with the
 * closing record and with the previous recount.
 * @param blocks read before the chain was recounted
 * @param ballotComparison how the blocks compare with their ballots
 * @param closing the closing record, once it is sealed
 * @param isClosing whether the closing record is about to be sealed: the last block may then be small
 * @param previous extent of the blocks at the previous recount
 * @returns faults as Spanish sentences, and the extent to store: the present one, or the previous one if blocks have vanished or
 * changed since
 */
export async function recountBlocks(
  { db, keyed }: Pick<Services, 'db' | 'keyed'>,
  edition: number,
  blocks: readonly BlockRow[],
  ballotComparison: ChainRecount['blocks'],
  {
    closing,
    isClosing,
    previous,
  }: { closing: ClosingRecord | undefined; isClosing: boolean; previous: BlockExtent | undefined },
): Promise<{ faults: string[]; extent: BlockExtent }> {
  const { differingBlockNumbers, missingBlockNumbers, trailingBallotCount } = ballotComparison
  const faults: string[] = []
  let [previousSeal, lastBatch] = [GENESIS_SEAL, 0]
  for (const [index, block] of blocks.entries()) {
    const isLinked = block.numero === index + 1 && block.anterior === previousSeal && block.desde_lote === lastBatch + 1
    if (!isLinked || !isBlockSigned({ keyed }, block)) {
      faults.push(`La cadena de cajas se rompe en la caja ${block.numero}.`)
      break
    }
    ;[previousSeal, lastBatch] = [block.sello, block.hasta_lote]
  }
  for (const number of differingBlockNumbers.slice(0, MAX_NAMED_FAULTS))
    faults.push(`La caja ${number} se publicó con otras papeletas que las que hay.`)
  if (missingBlockNumbers.length > 0) faults.push(`La caja ${missingBlockNumbers[0]} dice tener lotes que no hay.`)
  for (const { numero, papeletas } of blocks.slice(0, closing || isClosing ? -1 : undefined))
    if (papeletas < MIN_BLOCK_BALLOTS)
      faults.push(`La caja ${numero} se cerró con menos de ${MIN_BLOCK_BALLOTS} papeletas.`)
  const lastBlock = blocks.at(-1)
  const isAsSealed =
    closing?.minimo === undefined
      ? blocks.length === 0
      : blocks.length === closing.cajas &&
        (lastBlock?.sello ?? GENESIS_SEAL) === closing.ultimoSello &&
        trailingBallotCount === 0
  if (closing && !isAsSealed) faults.push('Las cajas no son las que el acta de cierre sella.')
  const previousExtent = previous && previous.cajas > 0 ? previous : undefined
  // Another process may have stored a recount since `blocks` was read, so the recount's last block may be newer than `blocks`.
  const lastKnownBlock =
    previousExtent && (blocks[previousExtent.cajas - 1] ?? (await listBlocks(db, edition, previousExtent.cajas))[0])
  const isUnchanged = !previousExtent || lastKnownBlock?.sello === previousExtent.ultima_caja
  if (!isUnchanged)
    faults.push(
      `En el recuento anterior la cadena publicada llegaba a la caja ${previousExtent.cajas}; ya no es la misma.`,
    )
  return {
    faults,
    // While the previous extent stays stored, every later recount reports the vanished blocks again.
    extent: isUnchanged
      ? { cajas: blocks.length, ultima_caja: lastBlock?.sello ?? null }
      : { cajas: previousExtent.cajas, ultima_caja: previousExtent.ultima_caja },
  }
}
