/** Longest wait for the browser's storage, in milliseconds. */
const KEPT_MS = 1_000

/**
 * Waits for the browser's storage, then goes on with `instead`. In a broken profile or a private window a storage request may
 * never settle, or settle later. A rejection is passed on.
 */
export async function orWithout<Kept, Instead>(asked: Promise<Kept>, instead: Instead): Promise<Kept | Instead> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<Instead>((resolve) => {
    timer = setTimeout(() => resolve(instead), KEPT_MS)
  })
  try {
    return await Promise.race([asked, silence])
  } finally {
    clearTimeout(timer)
  }
}
