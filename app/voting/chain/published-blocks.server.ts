import { type Selectable, sql } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import type { Tables } from '#app/core/db/tables.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { isSealSigned, signSeal } from '#app/voting/election/seal-signature.server.ts'
import { type Ballot, type BlockSummary, GENESIS_SEAL, MIN_BLOCK_BALLOTS } from '#app/voting/record/block-seal.ts'
import type { PublishedBlock } from '#app/voting/record/schema.ts'
import { readBallots } from './batch-reader.server.ts'
import { sealOf, sortBallots } from './seal-hash.server.ts'

export type BlockRow = Selectable<Tables['cajas']>

/** Returns the text that a block's signature covers: through the block's seal also the previous seal and the ballots. */
const signedBlockText = ({
  edicion,
  numero,
  papeletas,
  desde_lote,
  hasta_lote,
  sello,
}: Pick<BlockRow, 'edicion' | 'numero' | 'papeletas' | 'desde_lote' | 'hasta_lote' | 'sello'>) =>
  `caja ${edicion} ${numero} ${papeletas} ${desde_lote} ${hasta_lote} ${sello}`

export const isBlockSigned = (keys: Pick<Services, 'keyed'>, block: BlockRow): boolean =>
  isSealSigned(keys, signedBlockText(block), block.firma)

/** Lists the blocks from number `from` on, in order. */
export const listBlocks = (db: Database, edition: number, from = 1): Promise<BlockRow[]> =>
  db
    .selectFrom('cajas')
    .selectAll()
    .where('edicion', '=', edition)
    .where('numero', '>=', from)
    .orderBy('numero')
    .execute()

const findLastBlock = (db: Database, edition: number) =>
  db
    .selectFrom('cajas')
    .select(['numero', 'sello', 'hasta_lote'])
    .where('edicion', '=', edition)
    .orderBy('numero', 'desc')
    .limit(1)
    .executeTakeFirst()

/**
 * Closes a block wherever the batches since the last block hold enough ballots. Does nothing once the closing record exists. The
 * caller's transaction must hold the advisory lock of sealing.
 * @param isClosing whether the vote is being closed: the remaining ballots then make a last, smaller block
 */
export async function closeBlocks(
  { db: tx, clock, keyed }: Pick<Services, 'db' | 'clock' | 'keyed'>,
  edition: number,
  isClosing = false,
): Promise<void> {
  const { rows } = await sql<{ ballot_count: number }>`
    select coalesce(sum(papeletas), 0)::bigint as ballot_count from lotes
    where edicion = ${edition} and numero > (select coalesce(max(hasta_lote), 0) from cajas where edicion = ${edition})
      and not exists (select from actas where edicion = ${edition} and clase = 'cierre')`.execute(tx)
  if (rows[0]!.ballot_count < (isClosing ? 1 : MIN_BLOCK_BALLOTS)) return
  const lastBlock = await findLastBlock(tx, edition)
  let number = lastBlock?.numero ?? 0
  let previousSeal = lastBlock?.sello ?? GENESIS_SEAL
  let firstBatch = (lastBlock?.hasta_lote ?? 0) + 1
  let lastBatch = firstBatch - 1
  let openBallots: Ballot[] = []
  const closeBlock = async () => {
    const block = {
      edicion: edition,
      numero: ++number,
      papeletas: openBallots.length,
      desde_lote: firstBatch,
      hasta_lote: lastBatch,
      sello: sealOf(number, previousSeal, sortBallots(openBallots)),
    }
    await tx
      .insertInto('cajas')
      .values({
        ...block,
        anterior: previousSeal,
        firma: signSeal({ keyed }, signedBlockText(block)),
        cerrada_at: clock.now(),
      })
      .execute()
    previousSeal = block.sello
    firstBatch = lastBatch + 1
    openBallots = []
  }
  for await (const { batchNumber, ballots: batchBallots } of readBallots(tx, edition, firstBatch - 1)) {
    openBallots.push(...batchBallots)
    lastBatch = batchNumber
    if (openBallots.length >= MIN_BLOCK_BALLOTS) await closeBlock()
  }
  if (isClosing && openBallots.length > 0) await closeBlock()
}

/**
 * Yields the blocks, each with its sorted ballots as the database holds them now, and with the seal that these ballots give. Ballots
 * after the last block are left out; a block whose batches were removed has other ballots than it was closed with, or none.
 */
export async function* readBlocksWithBallots(
  db: Database,
  edition: number,
): AsyncGenerator<{ block: BlockRow; ballots: Ballot[]; seal: string }> {
  const blocks = await listBlocks(db, edition)
  let nextIndex = 0
  let openBlockBallots: Ballot[] = []
  const finishBlock = (block: BlockRow) => {
    const ballots = sortBallots(openBlockBallots)
    openBlockBallots = []
    nextIndex++
    return { block, ballots, seal: sealOf(block.numero, block.anterior, ballots) }
  }
  for await (const { batchNumber, ballots: batchBallots } of readBallots(db, edition)) {
    if (openBlockBallots.length === 0) openBlockBallots = batchBallots
    else for (const ballot of batchBallots) openBlockBallots.push(ballot)
    for (let block = blocks[nextIndex]; block && block.hasta_lote <= batchNumber; block = blocks[nextIndex])
      yield finishBlock(block)
  }
  for (let block = blocks[nextIndex]; block; block = blocks[nextIndex]) yield finishBlock(block)
}

/** Returns a block as a line of the published file. @param nameIndexes index of each name in the file's list of names */
export const fileLineOf = (
  { numero, anterior: previousSeal, sello }: Pick<BlockRow, 'numero' | 'anterior' | 'sello'>,
  ballots: readonly Ballot[],
  nameIndexes: ReadonlyMap<string, number>,
): string => {
  const block: PublishedBlock = {
    numero,
    anterior: previousSeal,
    sello,
    papeletas: ballots.map(({ recibo, candidata }) => `${recibo} ${nameIndexes.get(candidata)}`),
  }
  return JSON.stringify(block)
}

export const blockSummaryOf = ({ numero, papeletas, sello }: BlockRow): BlockSummary => ({ numero, papeletas, sello })

/** Returns a block, or undefined if there is none of this number or this site did not sign it. */
export async function readSignedBlock(
  { db, keyed }: Pick<Services, 'db' | 'keyed'>,
  edition: number,
  number: number,
): Promise<BlockSummary | undefined> {
  const [block] = await listBlocks(db, edition, number)
  return block?.numero === number && isBlockSigned({ keyed }, block) ? blockSummaryOf(block) : undefined
}
