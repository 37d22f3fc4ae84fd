import { expect, test } from 'vitest'
import { comoSeDice } from './fechas.ts'

const now = new Date('2025-08-20T12:00:00-06:00')
const said = (moment: string, ends?: boolean) => comoSeDice(new Date(moment), now, ends)

test.each([
  ['2025-09-01T00:00:00-06:00', 'el lunes 1 de septiembre'],
  ['2025-09-01T10:00:00-06:00', 'el lunes 1 de septiembre a las 10 a.m.'],
  ['2025-09-01T13:30:00-06:00', 'el lunes 1 de septiembre a la 1:30 p.m.'],
  ['2025-09-03T18:05:00-06:00', 'el miércoles 3 de septiembre a las 6:05 p.m.'],
  ['2026-06-01T00:00:00-06:00', 'el 1 de junio de 2026'],
  // By the clocks of Mexico City, whatever zone it is written in.
  ['2025-09-02T05:59:00Z', 'el lunes 1 de septiembre a las 11:59 p.m.'],
])('%s opens %s', (moment, words) => {
  expect(said(moment).replaceAll('\u00a0', ' ').replaceAll('\u202f', ' ')).toBe(words)
})

test.each([
  ['2025-08-31T23:59:00-06:00', 'el domingo 31 de agosto'],
  ['2025-09-01T00:00:00-06:00', 'el domingo 31 de agosto'],
  ['2026-01-01T00:00:00-06:00', 'el miércoles 31 de diciembre'],
  ['2027-12-31T23:59:00-06:00', 'el 31 de diciembre de 2027'],
])('what closes on %s is open until %s', (moment, words) => {
  expect(said(moment, true)).toBe(words)
})
