import { sql } from 'kysely'
import type pg from 'pg'
import type { Database } from '#app/core/db/database.server.ts'
import { openPool } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { SEAL_KEY } from '#app/voting/election/seal-signature.server.ts'
import { quantity } from '#app/voting/election/tally-rules.ts'
import { VOTE_KEY } from '#app/voting/election/vote-signature.server.ts'
import { type ByKind, thresholdsOfPart } from '#app/voting/origins/possible-bursts.ts'
import { GENESIS_SEAL } from '#app/voting/record/block-seal.ts'
import { batches } from './batch-reader.server.ts'
import type { Block } from './published-blocks.server.ts'
import { mergeSegments, recountSegment, type SegmentRecount } from './segment-recount.server.ts'
import { divideChain, runInThreads } from './threads.server.ts'

/** A chain recount holds what a recount of the chain found: its votes, its blocks, and the origins that may have bursts. */
export type ChainRecount = {
  ballotCount: number
  batchCount: number
  /** `lastBatch` is the number of the last batch; 0 without any. */
  lastBatch: number
  /** `lastSeal` is the seal of the last batch; the genesis seal without any. */
  lastSeal: string
  /** `sums` holds the votes by the name on the ballots. */
  sums: Map<string, number>
  /** `faults` are Spanish sentences; without any, the chain is as it was sealed. */
  faults: string[]
} & Pick<SegmentRecount, 'blocks' | 'possibleBursts'>

const NO_THRESHOLDS = { red: Number.MAX_SAFE_INTEGER, bloque: Number.MAX_SAFE_INTEGER }

type RecountServices = { db: Database; keyed: Services['keyed'] | undefined } & Pick<
  Partial<Services>,
  'threads' | 'log'
>

/**
 * Compares every vote with its own signature and with the chain, the chain with itself, and the blocks with their ballots.
 * @param keyed undefined: the site's secret is not at hand, and signatures are not checked
 * @param thresholds votes in ten minutes beyond which an origin has a burst; without them no bursts are sought
 * @param threads recount most of a long chain, each over a separate connection
 */
export async function recountChain(
  { db, keyed, threads, log }: RecountServices,
  edition: number,
  blocks: readonly Block[] = [],
  thresholds: ByKind<number> = NO_THRESHOLDS,
): Promise<ChainRecount> {
  const threadRecount =
    threads && keyed
      ? await recountInThreads({ threads, keyed }, edition, blocks, thresholds).catch((error: unknown) => {
          log?.warn({ err: error, edicion: edition }, 'the chain is counted by the site itself')
          return undefined
        })
      : undefined
  const behind = threadRecount?.upTo ?? 0
  const previous = { number: behind, seal: behind === 0 ? GENESIS_SEAL : await sealOfBatch(db, edition, behind) }
  const remainingBlocks = blocks.slice(threadRecount?.blockCount ?? 0)
  const rest = await recountSegment(batches(db, edition, behind), {
    ...{ edition, keyed, previous, blocks: remainingBlocks },
    thresholds: thresholdsOfPart(thresholds, threadRecount?.parts ?? 1),
  })
  const whole = threadRecount ? mergeSegments(threadRecount.segment, rest) : rest
  const {
    ballotCount,
    batchCount,
    lastBatch,
    sums,
    changedCount,
    firstChangedIds,
    faults,
    blocks: links,
    possibleBursts,
  } = whole
  return {
    ...{ ballotCount, batchCount, sums },
    lastBatch: lastBatch?.numero ?? 0,
    lastSeal: lastBatch?.sello ?? GENESIS_SEAL,
    faults: [
      ...faults.map(({ text }) => text),
      ...(changedCount > 0
        ? [
            `${quantity(changedCount, 'voto fue cambiado', 'votos fueron cambiados')} después de emitirse (${firstChangedIds.join(', ')}).`,
          ]
        : []),
    ],
    blocks: links,
    possibleBursts,
  }
}

/** Recounts in threads the part of the chain that other connections see: the blocks closed before this transaction. */
async function recountInThreads(
  { threads: { connection, minRows }, keyed }: Required<Pick<Services, 'threads' | 'keyed'>>,
  edition: number,
  blocks: readonly Block[],
  thresholds: ByKind<number>,
): Promise<{ segment: SegmentRecount; blockCount: number; upTo: number; parts: number } | undefined> {
  const visibleCount = await countVisibleBlocks(connection, edition)
  const stretches = divideChain(blocks.slice(0, visibleCount), minRows)
  const last = stretches.at(-1)
  if (!last) return undefined
  // The rest of the chain, which the caller recounts, is one more part.
  const parts = stretches.length + 1
  const keys = { [VOTE_KEY]: keyed(VOTE_KEY), [SEAL_KEY]: keyed(SEAL_KEY) }
  const answers = await runInThreads<{ segment: SegmentRecount }>(
    stretches.map((stretch) => ({
      ...{ que: 'contar' as const, conexion: connection, edicion: edition, ...stretch, keys },
      umbrales: thresholdsOfPart(thresholds, parts),
    })),
  )
  return {
    segment: answers.map(({ segment }) => segment).reduce(mergeSegments),
    blockCount: visibleCount,
    upTo: last.upTo,
    parts,
  }
}

/** Counts the blocks that a new connection sees. */
async function countVisibleBlocks(connection: string | pg.PoolConfig, edition: number): Promise<number> {
  const pool = openPool(connection, 1)
  try {
    const { rows } = await pool.query<{ cajas: number }>('select count(*) as cajas from cajas where edicion = $1', [
      edition,
    ])
    return rows[0]!.cajas
  } finally {
    await pool.end()
  }
}

const sealOfBatch = async (db: Database, edition: number, number: number): Promise<string | undefined> =>
  (
    await db
      .selectFrom('lotes')
      .select('sello')
      .where('edicion', '=', edition)
      .where('numero', '=', number)
      .executeTakeFirst()
  )?.sello

/** Recounts the chain of every edition. @returns faults in Spanish sentences; empty: the chains are as they were sealed */
export async function recountAll(db: Database, keyed: Services['keyed'] | undefined): Promise<string[]> {
  const { rows } = await sql<{ edicion: number }>`select distinct edicion from lotes order by 1`.execute(db)
  const faults: string[] = []
  for (const { edicion } of rows)
    for (const fault of (await recountChain({ db, keyed }, edicion)).faults)
      faults.push(`Votación ${edicion}: ${fault}`)
  return faults
}
