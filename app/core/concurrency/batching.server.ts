/**
 * Joins all look-ups by key within one turn of the event loop into one call.
 * @param findAll looks up all keys of the turn; a key that is absent from the result has no value; a failure fails every look-up
 * of the turn
 */
export function batchLookups<Value>(
  findAll: (keys: string[]) => Promise<Map<string, Value>>,
): (key: string) => Promise<Value | undefined> {
  let pendingBatch: { keys: Set<string>; values: Promise<Map<string, Value>> } | undefined
  return async (key) => {
    if (!pendingBatch) {
      const keys = new Set<string>()
      const values = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
        pendingBatch = undefined
        return findAll([...keys])
      })
      pendingBatch = { keys, values }
    }
    pendingBatch.keys.add(key)
    return (await pendingBatch.values).get(key)
  }
}

interface WaitingItem<Item, Result> {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

/**
 * Batches work. Items that arrive while `maxConcurrent` runs are under way wait, and share the next runs, each of at most
 * `maxItems`, so that a rush needs far fewer runs, while a lone item starts at once.
 * @param run returns the results in the order of the items; a failure fails all items of the run
 * @param keyOf returns an item's key; items of the same key never share a run, but their runs may overlap
 */
export function batchWork<Item, Result>(
  run: (items: Item[]) => Promise<Result[]>,
  { maxConcurrent, maxItems, keyOf }: { maxConcurrent: number; maxItems: number; keyOf?: (item: Item) => string },
): (item: Item) => Promise<Result> {
  let waiting: WaitingItem<Item, Result>[] = []
  let runningCount = 0

  function takeBatch(): WaitingItem<Item, Result>[] {
    if (!keyOf) return waiting.splice(0, maxItems)
    const batch = new Map<string, WaitingItem<Item, Result>>()
    const remaining: typeof waiting = []
    for (const waitingItem of waiting) {
      const key = keyOf(waitingItem.item)
      if (batch.size < maxItems && !batch.has(key)) batch.set(key, waitingItem)
      else remaining.push(waitingItem)
    }
    waiting = remaining
    return [...batch.values()]
  }

  async function startNextRun(): Promise<void> {
    if (runningCount >= maxConcurrent || waiting.length === 0) return
    const batch = takeBatch()
    runningCount++
    try {
      const results = await run(batch.map(({ item }) => item))
      for (const [index, { resolve }] of batch.entries()) resolve(results[index]!)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    } finally {
      runningCount--
      void startNextRun()
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      void startNextRun()
    })
}
