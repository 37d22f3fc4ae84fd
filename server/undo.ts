import { setTimeout as sleep } from 'node:timers/promises'

type Step = () => Promise<unknown> | unknown

/** Steps that undo what was done, in the order in which it was done. */
export type Undo = Step[]

const LASTING = new WeakSet<Step>()

/** Marks a step that is waited for however long it takes: it bounds itself, and what it ends must have ended. */
export function toItsEnd(step: Step): Step {
  LASTING.add(step)
  return step
}

/** How long all the other steps together may take, and how long one of them may. */
export interface Patience {
  allMs: number
  oneMs: number
}

/**
 * Undoes everything, last things first, each once. A step that fails or hangs keeps none of the others from their turn.
 * @throws what failed first, once all have had their turn
 */
export async function undoAll(undo: Undo, { allMs, oneMs }: Patience = { allMs: 7_000, oneMs: 5_000 }): Promise<void> {
  const faults: unknown[] = []
  const end = performance.now() + allMs
  for (const step of undo.splice(0).reverse()) {
    try {
      await (LASTING.has(step) ? step() : within(step, Math.min(oneMs, end - performance.now())))
    } catch (error) {
      faults.push(error)
    }
  }
  if (faults.length > 0) throw faults[0]
}

/** Waits for a step; one that takes longer goes on by itself. */
async function within(step: Step, patienceMs: number): Promise<void> {
  const done = new AbortController()
  const late = sleep(Math.max(0, patienceMs), 'late', { signal: done.signal }).catch(() => '')
  try {
    const work = Promise.resolve(step())
    // What becomes of it after its time is nobody's business any more.
    work.catch(() => {})
    if ((await Promise.race([work, late])) === 'late') throw new Error('A step of the stop did not end in time')
  } finally {
    done.abort()
  }
}
