import type { KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Services } from '#app/core/http/services.server.ts'
import type { ByKind } from '#app/voting/origins/possible-bursts.ts'
import type { Block } from './published-blocks.server.ts'
import type { SegmentRecount } from './segment-recount.server.ts'

/**
 * Worker threads do the work on a long chain, beside the process that answers visitors. Each thread takes a segment of the chain,
 * over a separate connection.
 */

/** At most this many threads run; each holds some 60 MB and a connection. */
const MAX_THREADS = Math.min(2, availableParallelism())
/** A thread's young generation has this size in MB and holds the objects of one batch: less means constant garbage collection. */
const YOUNG_MB = 32

/** A `Task` is a message to segment.process.ts. */
export type Task = {
  conexion: NonNullable<Services['threads']>['connection']
  edicion: number
} & ChainSegment &
  (
    | { que: 'contar'; keys: Record<string, KeyObject>; umbrales: ByKind<number> }
    /**
     * Writes the published lines of the blocks into a file, from the snapshot `moment` that another connection exported
     * (PostgreSQL, «Snapshot Synchronization Functions»). `separator` precedes the first line.
     */
    | { que: 'escribir'; moment: string; file: string; nombres: string[]; separator: string; mayDiffer: boolean }
  )
/** An `Answer` of a thread holds the recount's result, or after writing whether the ballots match the blocks' seals. */
export type Answer = { segment: SegmentRecount } | { matchesSeals: boolean }

/** A segment of the chain has the batches with numbers in (behind, upTo], and the blocks that they form. */
export interface ChainSegment {
  behind: number
  upTo: number
  cajas: Block[]
}

/**
 * Divides the part of the chain that blocks cover into segments with about equal numbers of ballots.
 * @param worthIt minimum number of ballots; a shorter chain is not divided
 * @returns empty for a short chain, or where blocks do not follow one another
 */
export function divideChain(blocks: readonly Block[], minBallots: number): ChainSegment[] {
  const all = blocks.reduce((sum, { papeletas }) => sum + papeletas, 0)
  if (all < minBallots) return []
  const parts: ChainSegment[] = []
  let sum = 0
  let behind = 0
  for (const block of blocks) {
    if (block.hasta_lote <= behind) return []
    if (sum >= (all / MAX_THREADS) * parts.length) parts.push({ behind, upTo: behind, cajas: [] })
    const part = parts.at(-1)!
    part.cajas.push(block)
    part.upTo = block.hasta_lote
    behind = block.hasta_lote
    sum += block.papeletas
  }
  return parts
}

/** Runs each task in a thread of its own. @returns answers in the order of the tasks. @throws the error that ended a thread */
export async function runInThreads<R extends Answer>(tasks: readonly Task[]): Promise<R[]> {
  const workers = tasks.map(
    () =>
      new Worker('./app/voting/chain/segment.process.ts', {
        env: {},
        resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
      }),
  )
  try {
    return await Promise.all(
      workers.map(async (worker, at) => {
        const answer = once(worker, 'message') as Promise<[R]>
        const end = once(worker, 'exit').then(([code]: number[]) => {
          throw new Error(`A thread ended with ${code}, without an answer`)
        })
        // After an answer the end of its thread is no failure.
        end.catch(() => {})
        worker.postMessage(tasks[at])
        return (await Promise.race([answer, end]))[0]
      }),
    )
  } finally {
    for (const worker of workers) void worker.terminate()
  }
}
