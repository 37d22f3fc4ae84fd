import type { Services } from '#app/core/http/services.server.ts'
import { GENESIS_SEAL, MIN_BLOCK_BALLOTS } from '#app/voting/record/block-seal.ts'
import type { ClosingRecord } from '#app/voting/record/schema.ts'
import { type Block, isOwnBlock, listBlocks } from './published-blocks.server.ts'
import { type ChainRecount, MAX_NAMED } from './recount.server.ts'

interface Reached {
  cajas: number
  ultima_caja: string | null
}

/**
 * Compares the published blocks with each other, with their ballots, with the closing record and with the previous recount.
 * @param blocks as they were listed before the chain was counted
 * @param counted the comparison of the blocks with their ballots
 * @param closing the closing record, once it is sealed
 * @param isClosing the closing record is about to be sealed
 * @param before how far the blocks reached at the previous recount
 * @returns faults in Spanish sentences, and how far the blocks reach now, or reached before a part was cut off
 */
export async function recountBlocks(
  { db, keyed }: Pick<Services, 'db' | 'keyed'>,
  edition: number,
  blocks: readonly Block[],
  { differingNumbers, missingNumbers, looseBallotCount }: ChainRecount['blocks'],
  {
    closing,
    isClosing,
    before,
  }: { closing: ClosingRecord | undefined; isClosing: boolean; before: Reached | undefined },
): Promise<{ faults: string[]; reached: Reached }> {
  const faults: string[] = []
  let [previousSeal, lastBatch] = [GENESIS_SEAL, 0]
  for (const [place, block] of blocks.entries()) {
    const isLinked = block.numero === place + 1 && block.anterior === previousSeal && block.desde_lote === lastBatch + 1
    if (!isLinked || !isOwnBlock({ keyed }, block)) {
      faults.push(`La cadena de cajas se rompe en la caja ${block.numero}.`)
      break
    }
    ;[previousSeal, lastBatch] = [block.sello, block.hasta_lote]
  }
  for (const number of differingNumbers.slice(0, MAX_NAMED))
    faults.push(`La caja ${number} se publicó con otras papeletas que las que hay.`)
  if (missingNumbers.length > 0) faults.push(`La caja ${missingNumbers[0]} dice tener lotes que no hay.`)
  for (const { numero, papeletas } of blocks.slice(0, closing || isClosing ? -1 : undefined))
    if (papeletas < MIN_BLOCK_BALLOTS)
      faults.push(`La caja ${numero} se cerró con menos de ${MIN_BLOCK_BALLOTS} papeletas.`)
  const last = blocks.at(-1)
  const isAsSealed =
    closing?.minimo === undefined
      ? blocks.length === 0
      : blocks.length === closing.cajas &&
        (last?.sello ?? GENESIS_SEAL) === closing.ultimoSello &&
        looseBallotCount === 0
  if (closing && !isAsSealed) faults.push('Las cajas no son las que el acta de cierre sella.')
  const lastReached = before && before.cajas > 0 ? before : undefined
  // Another process may have counted a block that was closed after this recount began.
  const reached =
    lastReached && (blocks[lastReached.cajas - 1] ?? (await listBlocks(db, edition, lastReached.cajas))[0])
  const isThere = !lastReached || reached?.sello === lastReached.ultima_caja
  if (!isThere)
    faults.push(
      `En el recuento anterior la cadena publicada llegaba a la caja ${lastReached.cajas}; ya no es la misma.`,
    )
  return {
    faults,
    // A part that was cut off stays reported at every later recount.
    reached: isThere
      ? { cajas: blocks.length, ultima_caja: last?.sello ?? null }
      : { cajas: lastReached.cajas, ultima_caja: lastReached.ultima_caja },
  }
}
