/**
 * Joins look-ups by key within one turn of the event loop into one call.
 * @param find answers all keys at once; a key missing from its result has no value
 */
export function inBatches<Value>(
  find: (keys: string[]) => Promise<Map<string, Value>>,
): (key: string) => Promise<Value | undefined> {
  let coming: { keys: Set<string>; found: Promise<Map<string, Value>> } | undefined
  return async (key) => {
    if (!coming) {
      const keys = new Set<string>()
      const found = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
        coming = undefined
        return find([...keys])
      })
      coming = { keys, found }
    }
    coming.keys.add(key)
    return (await coming.found).get(key)
  }
}

interface Waiting<Item, Result> {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

/**
 * Batches work: items that arrive while `atOnce` runs are under way go together in the next run. A rush needs a fraction of the
 * commits, and a single item does not wait.
 * @param run answers all items, in their order; if it fails, all of them fail
 * @param keyOf items of the same key never go in the same run
 */
export function gather<Item, Result>(
  run: (items: Item[]) => Promise<Result[]>,
  { atOnce, most, keyOf }: { atOnce: number; most: number; keyOf?: (item: Item) => string },
): (item: Item) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = []
  let underWay = 0

  function take(): Waiting<Item, Result>[] {
    if (!keyOf) return waiting.splice(0, most)
    const batch = new Map<string, Waiting<Item, Result>>()
    const left: typeof waiting = []
    for (const one of waiting) {
      const key = keyOf(one.item)
      if (batch.size < most && !batch.has(key)) batch.set(key, one)
      else left.push(one)
    }
    waiting = left
    return [...batch.values()]
  }

  async function begin(): Promise<void> {
    if (underWay >= atOnce || waiting.length === 0) return
    const batch = take()
    underWay++
    try {
      const results = await run(batch.map(({ item }) => item))
      for (const [at, { resolve }] of batch.entries()) resolve(results[at]!)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    } finally {
      underWay--
      void begin()
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      void begin()
    })
}
