import { type Selectable, sql } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import type { Tables } from '#app/core/db/tables.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { isSealSigned, signSeal } from '#app/voting/election/seal-signature.server.ts'
import { type Ballot, type BlockSummary, GENESIS_SEAL, MIN_BLOCK_BALLOTS } from '#app/voting/record/block-seal.ts'
import type { PublishedBlock } from '#app/voting/record/schema.ts'
import { ballots } from './batch-reader.server.ts'
import { sealOf, sortBallots } from './block-seal.server.ts'

export type Block = Selectable<Tables['cajas']>

/** Returns the text that a block's signature covers. The block's seal covers the previous seal and the ballots. */
const blockText = ({
  edicion,
  numero,
  papeletas,
  desde_lote,
  hasta_lote,
  sello,
}: Pick<Block, 'edicion' | 'numero' | 'papeletas' | 'desde_lote' | 'hasta_lote' | 'sello'>) =>
  `caja ${edicion} ${numero} ${papeletas} ${desde_lote} ${hasta_lote} ${sello}`

export const isOwnBlock = (keys: Pick<Services, 'keyed'>, block: Block): boolean =>
  isSealSigned(keys, blockText(block), block.firma)

/** Lists the blocks numbered `from` and above, in order. */
export const listBlocks = (db: Database, edition: number, from = 1): Promise<Block[]> =>
  db
    .selectFrom('cajas')
    .selectAll()
    .where('edicion', '=', edition)
    .where('numero', '>=', from)
    .orderBy('numero')
    .execute()

const lastBlock = (db: Database, edition: number) =>
  db
    .selectFrom('cajas')
    .select(['numero', 'sello', 'hasta_lote'])
    .where('edicion', '=', edition)
    .orderBy('numero', 'desc')
    .limit(1)
    .executeTakeFirst()

/**
 * Closes a block as soon as the batches since the last block hold enough ballots; after the closing record it does
 * nothing. The caller's transaction holds the advisory lock of sealing.
 * @param atEnd closes a last block with the ballots left over
 */
export async function closeBlocks(
  { db: tx, clock, keyed }: Pick<Services, 'db' | 'clock' | 'keyed'>,
  edition: number,
  atEnd = false,
): Promise<void> {
  const { rows } = await sql<{ waiting: number }>`
    select coalesce(sum(papeletas), 0)::bigint as waiting from lotes
    where edicion = ${edition} and numero > (select coalesce(max(hasta_lote), 0) from cajas where edicion = ${edition})
      and not exists (select from actas where edicion = ${edition} and clase = 'cierre')`.execute(tx)
  const { waiting } = rows[0]!
  if (waiting < (atEnd ? 1 : MIN_BLOCK_BALLOTS)) return
  const last = await lastBlock(tx, edition)
  let number = last?.numero ?? 0
  let previousSeal = last?.sello ?? GENESIS_SEAL
  let from = (last?.hasta_lote ?? 0) + 1
  let upTo = from - 1
  let open: Ballot[] = []
  const close = async () => {
    const block = {
      edicion: edition,
      numero: ++number,
      papeletas: open.length,
      desde_lote: from,
      hasta_lote: upTo,
      sello: sealOf(number, previousSeal, sortBallots(open)),
    }
    await tx
      .insertInto('cajas')
      .values({
        ...block,
        anterior: previousSeal,
        firma: signSeal({ keyed }, blockText(block)),
        cerrada_at: clock.now(),
      })
      .execute()
    previousSeal = block.sello
    from = upTo + 1
    open = []
  }
  for await (const { batchNumber, ballots: batchBallots } of ballots(tx, edition, from - 1)) {
    open.push(...batchBallots)
    upTo = batchNumber
    if (open.length >= MIN_BLOCK_BALLOTS) await close()
  }
  if (atEnd && open.length > 0) await close()
}

/** Yields the blocks with their sorted ballots, as they stand in the database now, and the seal of these ballots. */
export async function* filledBlocks(
  db: Database,
  edition: number,
): AsyncGenerator<{ block: Block; ballots: Ballot[]; seal: string }> {
  const blocks = await listBlocks(db, edition)
  let at = 0
  let open: Ballot[] = []
  const close = (block: Block) => {
    const sorted = sortBallots(open)
    open = []
    at++
    return { block, ballots: sorted, seal: sealOf(block.numero, block.anterior, sorted) }
  }
  for await (const { batchNumber, ballots: batchBallots } of ballots(db, edition)) {
    if (open.length === 0) open = batchBallots
    else for (const ballot of batchBallots) open.push(ballot)
    for (let block = blocks[at]; block && block.hasta_lote <= batchNumber; block = blocks[at]) yield close(block)
  }
  for (let block = blocks[at]; block; block = blocks[at]) yield close(block)
}

/** Returns a block as a line of the published file. @param places index of each name in the file's list of names */
export const lineOf = (
  { numero, anterior: previousSeal, sello }: Pick<Block, 'numero' | 'anterior' | 'sello'>,
  ballots: readonly Ballot[],
  places: ReadonlyMap<string, number>,
): string => {
  const block: PublishedBlock = {
    numero,
    anterior: previousSeal,
    sello,
    papeletas: ballots.map(({ recibo, candidata }) => `${recibo} ${places.get(candidata)}`),
  }
  return JSON.stringify(block)
}

/** Returns the public summary of a block. */
export const summaryOf = ({ numero, papeletas, sello }: Block): BlockSummary => ({ numero, papeletas, sello })

/** Returns the newest block, or undefined while there is none, or if this site did not sign it. */
export async function readNewestBlock(
  { db, keyed }: Pick<Services, 'db' | 'keyed'>,
  edition: number,
): Promise<BlockSummary | undefined> {
  const last = await lastBlock(db, edition)
  const [block] = last ? await listBlocks(db, edition, last.numero) : []
  return block && isOwnBlock({ keyed }, block) ? summaryOf(block) : undefined
}
