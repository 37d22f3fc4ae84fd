/** The browser's storage is waited for this long, in milliseconds. */
const STORAGE_TIMEOUT_MS = 1_000

/**
 * Waits for the browser's storage, then goes on with the fallback: in a broken profile or a private window a storage request may
 * never settle, or settle later. A rejection is passed on.
 */
export async function withStorageTimeout<Kept, Instead>(
  request: Promise<Kept>,
  fallback: Instead,
): Promise<Kept | Instead> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<Instead>((resolve) => {
    timer = setTimeout(() => resolve(fallback), STORAGE_TIMEOUT_MS)
  })
  try {
    return await Promise.race([request, timeout])
  } finally {
    clearTimeout(timer)
  }
}
