import { copyFile, stat, truncate } from 'node:fs/promises'

const MAX_BYTES = 5_000_000
const LOOK_MS = 60_000

/**
 * Keeps a log that another process goes on appending to within bounds: what is too long moves to `<file>.1`, in place of
 * what was there, so both together have some ten megabytes at most.
 */
export async function turnLog(file: string, maxBytes = MAX_BYTES): Promise<void> {
  const { size } = await stat(file)
  if (size <= maxBytes) return
  // The server keeps the file open: its next line goes to the end of what is left, which is the beginning.
  await copyFile(file, `${file}.1`)
  await truncate(file, 0)
}

/** Looks after a log from now on. @returns for `clearInterval` */
export function boundLog(file: string): NodeJS.Timeout {
  // What cannot be turned now (no log yet, a full disk) is tried again.
  const look = () => void turnLog(file).catch(() => {})
  look()
  return setInterval(look, LOOK_MS).unref()
}
