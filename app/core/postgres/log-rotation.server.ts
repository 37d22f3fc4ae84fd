import { copyFile, stat, truncate } from 'node:fs/promises'

const MAX_LOG_BYTES = 5_000_000
const CHECK_INTERVAL_MS = 60_000

/**
 * Rotates a log to which another process appends: a file over the limit is copied to `<file>.1`, replacing the previous copy, and
 * truncated. Both together have some ten megabytes at most. Lines written between copy and truncation are lost.
 */
export async function rotateLog(file: string, maxBytes = MAX_LOG_BYTES): Promise<void> {
  const { size } = await stat(file)
  if (size <= maxBytes) return
  // PostgreSQL keeps the file open in append mode, so after the truncation it writes from the beginning.
  await copyFile(file, `${file}.1`)
  await truncate(file, 0)
}

/** Rotates a log once a minute. @returns the timer, for `clearInterval` */
export function startLogRotation(file: string): NodeJS.Timeout {
  // After a failure (no log yet, a full disk) the next rotation tries again.
  const rotate = () => void rotateLog(file).catch(() => {})
  rotate()
  return setInterval(rotate, CHECK_INTERVAL_MS).unref()
}
