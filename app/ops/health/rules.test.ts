import { expect, test } from 'vitest'
import { diskLevelOf, diskSpaceNotice, statusReport } from './rules.ts'
import type { HealthLevel } from './schema.ts'

const GIB = 1024 ** 3
const diskSpace = (free: number, reserve = 4 * GIB) => ({
  freeBytes: free,
  reserveBytes: reserve,
  availableBytes: free - reserve,
})

test.each([
  [100 * GIB, 'ample'],
  [6.1 * GIB, 'ample'],
  [6 * GIB, 'low'],
  [4.1 * GIB, 'low'],
  [4 * GIB, 'full'],
  [0, 'full'],
])('%d bytes free', (free, level) => {
  expect(diskLevelOf(diskSpace(free))).toBe(level)
})

test('a notice comes before the disk is full, with the space left and the remedy', () => {
  expect(diskSpaceNotice(diskSpace(100 * GIB))).toBeUndefined()
  expect(diskSpaceNotice(diskSpace(5.25 * GIB))).toMatch(
    /casi se llena: quedan 5\.3 GB\. Con 4 GB .*Borra las inscripciones/,
  )
  expect(diskSpaceNotice(diskSpace(300 * 1024 ** 2))).toMatch(/está lleno: quedan 300 MB .*No recibe registros/)
})

test.each([
  [['ok', 'ok'], 'El sitio está bien.'],
  [['ok', 'aviso'], 'El sitio está bien, con 1 aviso.'],
  [['ok', 'falla'], 'Hay 1 falla y 0 avisos: arriba dice qué hacer con cada uno.'],
  [['falla', 'aviso'], 'El sitio NO atiende a nadie. Arriba dice qué hacer.'],
] satisfies [HealthLevel[], string][])('a report of %j ends with «%s»', (levels, line) => {
  const report = statusReport(
    levels.map((nivel, at) => ({ de: at === 0 ? 'version' : 'x', titulo: 'T', nivel, dice: 'Eso.', remedio: 'Esto.' })),
  )
  expect(report.line).toBe(line)
  expect(report.table.filter((one) => one.includes('→ Esto.'))).toHaveLength(
    levels.filter((one) => one !== 'ok').length,
  )
})
