import { expect, test } from 'vitest'
import { diskLevelOf, diskSpaceNotice } from './rules.ts'

const GB = 1024 ** 3
const disco = (free: number, piso = 4 * GB) => ({ libres: free, piso, disponible: free - piso })

test.each([
  [100 * GB, 'holgado'],
  [6.1 * GB, 'holgado'],
  [6 * GB, 'poco'],
  [4.1 * GB, 'poco'],
  [4 * GB, 'lleno'],
  [0, 'lleno'],
])('%d bytes free', (free, level) => {
  expect(diskLevelOf(disco(free))).toBe(level)
})

test('a notice comes before the disk is full, with the space left and the remedy', () => {
  expect(diskSpaceNotice(disco(100 * GB))).toBeUndefined()
  expect(diskSpaceNotice(disco(5.25 * GB))).toMatch(
    /casi se llena: quedan 5\.3 GB\. Con 4 GB .*Borra las inscripciones/,
  )
  expect(diskSpaceNotice(disco(300 * 1024 ** 2))).toMatch(/está lleno: quedan 300 MB .*No recibe registros/)
})
