/** A part must answer within `timeoutMs`. Its answer is reused for `reuseMs`. */
const DEFAULT_TIMES = { timeoutMs: 2_000, reuseMs: 3_000 }

/**
 * Creates a readiness probe of several parts, for any number of callers at once. At most one check of each part is under way, and
 * its result is reused for some seconds. A part whose last check hangs counts as missing until that check ends.
 * @param parts checks by name of the part; a check resolves if the part can be used now
 * @param onError receives the error of each check that fails or takes too long
 * @returns a function that names the parts that do not answer
 */
export function createReadinessProbe(
  parts: Record<string, () => Promise<unknown>>,
  onError: (error: unknown, part: string) => void,
  timeOverrides: Partial<typeof DEFAULT_TIMES> = {},
): () => Promise<string[]> {
  const { timeoutMs, reuseMs } = { ...DEFAULT_TIMES, ...timeOverrides }
  const pendingParts = new Set<string>()
  let probedAtMs = Number.NEGATIVE_INFINITY
  let missingParts: Promise<string[]> | undefined

  async function isAnswering(part: string, check: () => Promise<unknown>): Promise<boolean> {
    if (pendingParts.has(part)) return false
    pendingParts.add(part)
    const result = check().then(
      () => true,
      (error) => {
        onError(error, part)
        return false
      },
    )
    void result.then(() => pendingParts.delete(part))
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => {
        onError(new Error(`no answer within ${timeoutMs} ms`), part)
        resolve(false)
      }, timeoutMs)
      timer.unref()
    })
    return Promise.race([result, timeout]).finally(() => clearTimeout(timer))
  }

  async function probe(): Promise<string[]> {
    const checks = Object.entries(parts)
    const areReady = await Promise.all(checks.map(([part, check]) => isAnswering(part, check)))
    return checks.filter((_, index) => !areReady[index]).map(([part]) => part)
  }

  return () => {
    if (!missingParts || performance.now() - probedAtMs > reuseMs) {
      probedAtMs = performance.now()
      missingParts = probe()
    }
    return missingParts
  }
}
