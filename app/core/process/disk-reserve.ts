/** Part of the disk that uploads leave free for actions that must always work: votes, sign-in and the organisers' deletions. */
export type DiskReserve =
  /** A share of the whole disk, `maxBytes` at most. */
  { share: number; maxBytes?: number } | { bytes: number }

const GIB = 1024 ** 3

export const DEFAULT_DISK_RESERVE: DiskReserve = { share: 0.1, maxBytes: 5 * GIB }

/** Parses a reserve such as `8%`, `500MB` or `2GB`. @returns undefined for any other text, and for more than 90 % */
export function parseDiskReserve(text: string): DiskReserve | undefined {
  const [, digits = '', unit] = /^(\d{1,6}(?:\.\d{1,3})?)\s?(%|MB|GB)$/i.exec(text.trim()) ?? []
  if (unit === undefined) return undefined
  const number = Number(digits)
  if (unit === '%') return number <= 90 ? { share: number / 100 } : undefined
  return { bytes: Math.round(number * (unit.toUpperCase() === 'GB' ? GIB : 1024 ** 2)) }
}

export const diskReserveBytes = (reserve: DiskReserve, totalBytes: number): number =>
  'bytes' in reserve
    ? reserve.bytes
    : Math.min(Math.floor(totalBytes * reserve.share), reserve.maxBytes ?? Number.POSITIVE_INFINITY)
