import { setTimeout as sleep } from 'node:timers/promises'

type Step = () => Promise<unknown> | unknown

/** `Undo` holds steps that undo opened resources, in the order of opening. */
export type Undo = Step[]

const LASTING_STEPS = new WeakSet<Step>()

/** Marks a step that is awaited without a limit: it limits itself, and must have ended before the next step. */
export function markAsLasting(step: Step): Step {
  LASTING_STEPS.add(step)
  return step
}

/** Unmarked steps have these time limits in milliseconds: all together, and each. */
export interface Patience {
  allMs: number
  oneMs: number
}

/**
 * Runs all undo steps, the last first, each once. A step that fails or hangs does not stop the others.
 * @throws the first error, once all steps have had their turn
 */
export async function undoAll(undo: Undo, { allMs, oneMs }: Patience = { allMs: 7_000, oneMs: 5_000 }): Promise<void> {
  const faults: unknown[] = []
  const end = performance.now() + allMs
  for (const step of undo.splice(0).reverse()) {
    try {
      await (LASTING_STEPS.has(step)
        ? step()
        : runWithin((async () => step())(), Math.min(oneMs, end - performance.now())))
    } catch (error) {
      faults.push(error)
    }
  }
  if (faults.length > 0) throw faults[0]
}

/** Waits for work up to `ms`; slower work goes on by itself, and its error is ignored. @throws ETIMEDOUT after the limit */
export async function runWithin<Value>(work: Promise<Value>, ms: number): Promise<Value> {
  const done = new AbortController()
  const late = sleep(Math.max(0, ms), undefined, { signal: done.signal }).then(() => {
    throw Object.assign(new Error('Work did not end in time'), { code: 'ETIMEDOUT' })
  })
  return Promise.race([work, late]).finally(() => done.abort())
}
