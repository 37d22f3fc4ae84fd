/** An answer is waited for `patienceMs`, and reused for `reuseMs`. */
const TIMES = { patienceMs: 2_000, keptMs: 3_000 }

/**
 * Creates a readiness probe of several parts, for any number of callers at once: one question per part is under way, and its
 * result is reused for some seconds. A part whose last question hangs is not asked again, and counts as missing.
 * @param parts by name: each resolves when the part can be used now
 * @param tell receives the error of each question that fails
 * @returns a function that names the parts that do not answer
 */
export function createReadinessProbe(
  parts: Record<string, () => Promise<unknown>>,
  tell: (error: unknown, part: string) => void,
  change: Partial<typeof TIMES> = {},
): () => Promise<string[]> {
  const { patienceMs, keptMs } = { ...TIMES, ...change }
  const hanging = new Set<string>()
  let asked = Number.NEGATIVE_INFINITY
  let found: Promise<string[]> | undefined

  async function answers(part: string, ask: () => Promise<unknown>): Promise<boolean> {
    if (hanging.has(part)) return false
    hanging.add(part)
    const work = ask().then(
      () => true,
      (error) => {
        tell(error, part)
        return false
      },
    )
    void work.then(() => hanging.delete(part))
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => {
        tell(new Error(`no answer within ${patienceMs} ms`), part)
        resolve(false)
      }, patienceMs)
      timer.unref()
    })
    return Promise.race([work, late]).finally(() => clearTimeout(timer))
  }

  async function probe(): Promise<string[]> {
    const all = Object.entries(parts)
    const ready = await Promise.all(all.map(([part, ask]) => answers(part, ask)))
    return all.filter((_, at) => !ready[at]).map(([part]) => part)
  }

  return () => {
    if (!found || performance.now() - asked > keptMs) {
      asked = performance.now()
      found = probe()
    }
    return found
  }
}
