import { expect, test } from 'vitest'
import { isVotacionAbierta } from './rules.ts'

const CIERRE = '2025-09-25T23:59:00-06:00'

test.each([
  ['2025-09-25T23:58:59-06:00', true],
  ['2025-09-26T05:59:00Z', true],
  ['2025-09-25T23:59:01-06:00', false],
  ['2026-01-01T00:00:00Z', false],
])('at %s the vote is open: %s', (ahora, abierta) => {
  expect(isVotacionAbierta(CIERRE, new Date(ahora))).toBe(abierta)
})
