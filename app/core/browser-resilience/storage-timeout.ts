const STORAGE_TIMEOUT_MS = 1_000

/**
 * Waits for a request to the browser's storage, and resolves to the fallback after a second, since in a broken profile or a
 * private window the request may never settle. A rejection is passed on.
 */
export async function withStorageTimeout<Value, Fallback>(
  request: Promise<Value>,
  fallback: Fallback,
): Promise<Value | Fallback> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<Fallback>((resolve) => {
    timer = setTimeout(() => resolve(fallback), STORAGE_TIMEOUT_MS)
  })
  try {
    return await Promise.race([request, timeout])
  } finally {
    clearTimeout(timer)
  }
}
