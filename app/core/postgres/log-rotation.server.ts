import { copyFile, stat, truncate } from 'node:fs/promises'

const MAX_LOG_BYTES = 5_000_000
const CHECK_INTERVAL_MS = 60_000

/**
 * Rotates a log that another process keeps appending to: a file over the limit moves to `<file>.1`, replacing the previous one,
 * so that both together have some ten megabytes at most. Lines written between copy and truncation are lost.
 */
export async function rotateLog(file: string, maxBytes = MAX_LOG_BYTES): Promise<void> {
  const { size } = await stat(file)
  if (size <= maxBytes) return
  // PostgreSQL keeps the file open and appends: after the truncation its next line is the first.
  await copyFile(file, `${file}.1`)
  await truncate(file, 0)
}

/** Rotates a log from now on, once a minute. @returns the timer, for `clearInterval` */
export function startLogRotation(file: string): NodeJS.Timeout {
  // A failed rotation (no log yet, a full disk) is tried again.
  const rotate = () => void rotateLog(file).catch(() => {})
  rotate()
  return setInterval(rotate, CHECK_INTERVAL_MS).unref()
}
