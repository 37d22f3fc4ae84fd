import { copyFile, stat, truncate } from 'node:fs/promises'

const MAX_LOG_BYTES = 5_000_000
const CHECK_INTERVAL_MS = 60_000

/**
 * Rotates a log to which another process appends. A file over the limit is copied to `<file>.1`, which replaces the previous
 * copy, and then truncated. Lines that are written between copy and truncation are lost.
 */
export async function rotateLog(file: string, maxBytes = MAX_LOG_BYTES): Promise<void> {
  const { size } = await stat(file)
  if (size <= maxBytes) return
  // PostgreSQL has the file open in append mode, so that after the truncation it writes from the beginning.
  await copyFile(file, `${file}.1`)
  await truncate(file, 0)
}

/** Calls `rotateLog` at once and then every minute. @returns the timer, for `clearInterval` */
export function startLogRotation(file: string): NodeJS.Timeout {
  // The next rotation tries again, if there is no log yet or the disk is full.
  const rotate = () => void rotateLog(file).catch(() => {})
  rotate()
  return setInterval(rotate, CHECK_INTERVAL_MS).unref()
}
