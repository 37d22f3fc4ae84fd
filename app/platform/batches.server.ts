/**
 * Look-ups by key that are asked for in the same turn of the event loop become one.
 * @param find answers all keys at once; a key that it leaves out has no value
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
