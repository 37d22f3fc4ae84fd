import { expect, test } from 'vitest'
import { DEFAULT_DISK_RESERVE, diskReserveBytes, parseDiskReserve } from './disk-reserve.ts'

const GIB = 1024 ** 3

test('a tenth of a small disk, 5 GB of a large one', () => {
  expect(diskReserveBytes(DEFAULT_DISK_RESERVE, 20 * GIB)).toBe(2 * GIB)
  expect(diskReserveBytes(DEFAULT_DISK_RESERVE, 500 * GIB)).toBe(5 * GIB)
})

test.each([
  ['8%', 0.08 * 100 * GIB],
  ['500MB', 500 * 1024 ** 2],
  ['2 gb', 2 * GIB],
  ['1.5GB', 1.5 * GIB],
  ['0%', 0],
])('the reserve %s has %d bytes of a disk of 100 GB', (text, bytes) => {
  expect(diskReserveBytes(parseDiskReserve(text)!, 100 * GIB)).toBe(bytes)
})

test.each(['', '5', '-1GB', '95%', 'GB', '1e9MB', '5 TB'])('«%s» is no reserve', (text) => {
  expect(parseDiskReserve(text)).toBeUndefined()
})
