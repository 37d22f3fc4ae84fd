import { expect, test } from 'vitest'
import { DEFAULT_DISK_RESERVE, diskReserveBytes, parseDiskReserve } from './disk-reserve.ts'

const GB = 1024 ** 3

test('a tenth of a small disk, 5 GB of a large one', () => {
  expect(diskReserveBytes(DEFAULT_DISK_RESERVE, 20 * GB)).toBe(2 * GB)
  expect(diskReserveBytes(DEFAULT_DISK_RESERVE, 500 * GB)).toBe(5 * GB)
})

test.each([
  ['8%', 0.08 * 100 * GB],
  ['500MB', 500 * 1024 ** 2],
  ['2 gb', 2 * GB],
  ['1.5GB', 1.5 * GB],
  ['0%', 0],
])('the reserve %s has %d bytes of a disk of 100 GB', (text, bytes) => {
  expect(diskReserveBytes(parseDiskReserve(text)!, 100 * GB)).toBe(bytes)
})

test.each(['', '5', '-1GB', '95%', 'GB', '1e9MB', '5 TB'])('«%s» is no reserve', (text) => {
  expect(parseDiskReserve(text)).toBeUndefined()
})
