import type { KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Services } from '#app/core/http/services.server.ts'
import type { PorClase } from '#app/voting/origins/possible-bursts.ts'
import type { Caja } from './published-blocks.server.ts'
import type { Trecho } from './segment-recount.server.ts'

/**
 * Work over a long chain, done beside the process that answers visitors: each thread takes a stretch of it, over a
 * connection of its own.
 */

/** Threads at once; each holds some 60 MB and a connection. */
const MAX_THREADS = Math.min(2, availableParallelism())
/** Room for what a thread makes and drops again with each batch: with less it tidies up all the time, with more it only holds more. */
const YOUNG_MB = 32

/** A message to segment.process.ts. */
export type Encargo = {
  conexion: NonNullable<Services['hilos']>['conexion']
  edicion: number
} & Parte &
  (
    | { que: 'contar'; keys: Record<string, KeyObject>; umbrales: PorClase<number> }
    /**
     * Writes the published lines of the links into a file, as of a moment of the database that another connection keeps.
     * `separator` stands before the first of them.
     */
    | { que: 'escribir'; moment: string; file: string; nombres: string[]; separator: string; mayDiffer: boolean }
  )
/** What a thread answers: what came of counting; of writing, whether the ballots are what the links sealed. */
export type Respuesta = { trecho: Trecho } | { cuadra: boolean }

/** A part of the chain: its batches from behind one up to another, and the links that they make. */
export interface Parte {
  behind: number
  upTo: number
  cajas: Caja[]
}

/**
 * Parts the chain as far as links reach into stretches of about as many ballots each, which together have every batch.
 * @param worthIt fewer ballots are not parted
 * @returns none where the caller does the work as soon itself, or where links are not one behind another
 */
export function partsOf(cajas: readonly Caja[], worthIt: number): Parte[] {
  const all = cajas.reduce((sum, { papeletas }) => sum + papeletas, 0)
  if (all < worthIt) return []
  const parts: Parte[] = []
  let sum = 0
  let behind = 0
  for (const caja of cajas) {
    if (caja.hasta_lote <= behind) return []
    if (sum >= (all / MAX_THREADS) * parts.length) parts.push({ behind, upTo: behind, cajas: [] })
    const part = parts.at(-1)!
    part.cajas.push(caja)
    part.upTo = caja.hasta_lote
    behind = caja.hasta_lote
    sum += caja.papeletas
  }
  return parts
}

/** @returns answers in the order of what was asked. @throws what made a thread end */
export async function enHilos<R extends Respuesta>(encargos: readonly Encargo[]): Promise<R[]> {
  const workers = encargos.map(
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
        worker.postMessage(encargos[at])
        return (await Promise.race([answer, end]))[0]
      }),
    )
  } finally {
    for (const worker of workers) void worker.terminate()
  }
}
