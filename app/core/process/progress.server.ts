import pLimit from 'p-limit'

/** Reports the progress of long work in a Spanish sentence. */
export type ReportProgress = (progress: string) => void

const MAX_CONCURRENT_ITEMS = 4
const MIN_REPORT_INTERVAL_MS = 1_000

/**
 * Processes all items, a few at a time, and reports how many are done, once a second at most. After a failure, starts no further
 * item.
 * @param label Spanish name of the items, with which a report begins
 * @throws the first failure, once the work on all started items has ended
 */
export async function processAll<Item>(
  items: readonly Item[],
  label: string,
  onProgress: ReportProgress,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  let doneCount = 0
  let reportedAtMs = performance.now()
  let failure: { error: unknown } | undefined
  const processItem = async (item: Item) => {
    if (failure) return
    try {
      await work(item)
    } catch (error) {
      failure ??= { error }
    }
    doneCount++
    if (performance.now() - reportedAtMs < MIN_REPORT_INTERVAL_MS) return
    reportedAtMs = performance.now()
    onProgress(`${label}: ${doneCount} de ${items.length}.`)
  }
  const limit = pLimit(MAX_CONCURRENT_ITEMS)
  await Promise.all(items.map((item) => limit(processItem, item)))
  if (failure) throw (failure as { error: unknown }).error
}
