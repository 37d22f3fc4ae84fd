/** So long is waited at most for what the browser keeps: whoever waits for it waits for no memory of theirs. */
const KEPT_MS = 1_000

/**
 * What comes within a second of what the browser keeps, or else what goes on without it. A store that fails says so; that
 * of a broken profile or a private window may never say anything, and may still do later what it was asked for.
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
