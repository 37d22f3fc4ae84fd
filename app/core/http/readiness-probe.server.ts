/** An answer is waited for `patienceMs`, and reused for `reuseMs`. */
const TIMES = { patienceMs: 2_000, reuseMs: 3_000 }

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
  const { patienceMs, reuseMs } = { ...TIMES, ...change }
  const pendingParts = new Set<string>()
  let askedAtMs = Number.NEGATIVE_INFINITY
  let missingParts: Promise<string[]> | undefined

  async function isAnswering(part: string, ask: () => Promise<unknown>): Promise<boolean> {
    if (pendingParts.has(part)) return false
    pendingParts.add(part)
    const question = ask().then(
      () => true,
      (error) => {
        tell(error, part)
        return false
      },
    )
    void question.then(() => pendingParts.delete(part))
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => {
        tell(new Error(`no answer within ${patienceMs} ms`), part)
        resolve(false)
      }, patienceMs)
      timer.unref()
    })
    return Promise.race([question, timeout]).finally(() => clearTimeout(timer))
  }

  async function probe(): Promise<string[]> {
    const all = Object.entries(parts)
    const ready = await Promise.all(all.map(([part, ask]) => isAnswering(part, ask)))
    return all.filter((_, at) => !ready[at]).map(([part]) => part)
  }

  return () => {
    if (!missingParts || performance.now() - askedAtMs > reuseMs) {
      askedAtMs = performance.now()
      missingParts = probe()
    }
    return missingParts
  }
}
