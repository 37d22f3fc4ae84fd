import pLimit from 'p-limit'

/** Receives a Spanish sentence about the progress of long work. */
export type ReportProgress = (progress: string) => void

/** This many items are in work at the same time. */
const AT_ONCE = 4
/** Two reports are at least this many milliseconds apart. */
const EVERY_MS = 1_000

/**
 * Works on all items, a few at a time, and reports how many are done. After a failure no further item is begun.
 * @throws the first failure, once no item is worked on any more
 * @param what Spanish name of the items, which begins a report
 */
export async function workThrough<Item>(
  items: readonly Item[],
  what: string,
  onProgress: ReportProgress,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  let [done, saidAt] = [0, Date.now()]
  let failure: { error: unknown } | undefined
  const one = async (item: Item) => {
    if (failure) return
    try {
      await work(item)
    } catch (error) {
      failure ??= { error }
    }
    done++
    if (Date.now() - saidAt < EVERY_MS) return
    saidAt = Date.now()
    onProgress(`${what}: ${done} de ${items.length}.`)
  }
  const limit = pLimit(AT_ONCE)
  await Promise.all(items.map((item) => limit(one, item)))
  if (failure) throw (failure as { error: unknown }).error
}
