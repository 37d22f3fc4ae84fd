import { expect, test } from 'vitest'
import { diskLevelOf, diskSpaceNotice } from './rules.ts'

const GB = 1024 ** 3
const diskSpace = (free: number, reserve = 4 * GB) => ({
  freeBytes: free,
  reserveBytes: reserve,
  availableBytes: free - reserve,
})

test.each([
  [100 * GB, 'ample'],
  [6.1 * GB, 'ample'],
  [6 * GB, 'low'],
  [4.1 * GB, 'low'],
  [4 * GB, 'full'],
  [0, 'full'],
])('%d bytes free', (free, level) => {
  expect(diskLevelOf(diskSpace(free))).toBe(level)
})

test('a notice comes before the disk is full, with the space left and the remedy', () => {
  expect(diskSpaceNotice(diskSpace(100 * GB))).toBeUndefined()
  expect(diskSpaceNotice(diskSpace(5.25 * GB))).toMatch(
    /casi se llena: quedan 5\.3 GB\. Con 4 GB .*Borra las inscripciones/,
  )
  expect(diskSpaceNotice(diskSpace(300 * 1024 ** 2))).toMatch(/está lleno: quedan 300 MB .*No recibe registros/)
})
