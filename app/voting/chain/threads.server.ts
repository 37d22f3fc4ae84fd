import type { KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Services } from '#app/core/http/services.server.ts'
import type { ByKind } from '#app/voting/origins/possible-bursts.ts'
import type { Block } from './published-blocks.server.ts'
import type { SegmentRecount } from './segment-recount.server.ts'

/**
 * Work over a long chain, done beside the process that answers visitors: each thread takes a stretch of it, over a
 * connection of its own.
 */

/** Threads at once; each holds some 60 MB and a connection. */
const MAX_THREADS = Math.min(2, availableParallelism())
/** Room for what a thread makes and drops again with each batch: with less it tidies up all the time, with more it only holds more. */
const YOUNG_MB = 32

/** A message to segment.process.ts. */
export type Task = {
  conexion: NonNullable<Services['hilos']>['conexion']
  edicion: number
} & Parte &
  (
    | { que: 'contar'; keys: Record<string, KeyObject>; umbrales: ByKind<number> }
    /**
     * Writes the published lines of the links into a file, as of a moment of the database that another connection keeps.
     * `separator` stands before the first of them.
     */
    | { que: 'escribir'; moment: string; file: string; nombres: string[]; separator: string; mayDiffer: boolean }
  )
/** What a thread answers: what came of counting; of writing, whether the ballots are what the links sealed. */
export type Answer = { trecho: SegmentRecount } | { cuadra: boolean }

/** A part of the chain: its batches from behind one up to another, and the links that they make. */
export interface Parte {
  behind: number
  upTo: number
  cajas: Block[]
}

/**
 * Parts the chain as far as links reach into stretches of about as many ballots each, which together have every batch.
 * @param worthIt fewer ballots are not parted
 * @returns none where the caller does the work as soon itself, or where links are not one behind another
 */
export function partsOf(blocks: readonly Block[], worthIt: number): Parte[] {
  const all = blocks.reduce((sum, { papeletas }) => sum + papeletas, 0)
  if (all < worthIt) return []
  const parts: Parte[] = []
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

/** @returns answers in the order of what was asked. @throws what made a thread end */
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
        // Once there is an answer nobody waits for the end.
        end.catch(() => {})
        worker.postMessage(tasks[at])
        return (await Promise.race([answer, end]))[0]
      }),
    )
  } finally {
    for (const worker of workers) void worker.terminate()
  }
}
