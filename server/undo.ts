import { setTimeout as sleep } from 'node:timers/promises'

type UndoStep = () => Promise<unknown> | unknown

/** Steps that close opened resources, in the order of opening. */
export type Undo = UndoStep[]

const LASTING_STEPS = new WeakSet<UndoStep>()

/** Marks a step that is awaited without a time limit, since the step limits itself, and must have ended before the next step. */
export function markAsLasting(step: UndoStep): UndoStep {
  LASTING_STEPS.add(step)
  return step
}

/** Time limits of the steps; a step that is marked as lasting is always awaited. */
export interface UndoLimits {
  /** Time from the first step on after which further steps are started, but not awaited. */
  allMs: number
  /** Longest time of each step. */
  stepMs: number
}

/**
 * Runs all undo steps, the last first, each once. The next step runs even if a step fails, or hangs without being marked as lasting.
 * @throws the first error, after all steps
 */
export async function undoAll(
  undo: Undo,
  { allMs, stepMs }: UndoLimits = { allMs: 7_000, stepMs: 5_000 },
): Promise<void> {
  const errors: unknown[] = []
  const deadlineMs = performance.now() + allMs
  for (const step of undo.splice(0).reverse()) {
    try {
      await (LASTING_STEPS.has(step)
        ? step()
        : runWithin((async () => step())(), Math.min(stepMs, deadlineMs - performance.now())))
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
}

/** Waits for work up to a limit. Work that takes longer continues, and its error is ignored. @throws ETIMEDOUT after the limit */
export async function runWithin<Value>(work: Promise<Value>, limitMs: number): Promise<Value> {
  const controller = new AbortController()
  const timeout = sleep(Math.max(0, limitMs), undefined, { signal: controller.signal }).then(() => {
    throw Object.assign(new Error('Work did not end in time'), { code: 'ETIMEDOUT' })
  })
  return Promise.race([work, timeout]).finally(() => controller.abort())
}
