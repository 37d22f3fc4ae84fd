import { expect, test } from 'vitest'
import { periodStateOf, untilNextChange } from './rules.ts'
import type { Periods } from './schema.ts'

test('a period begins with its first moment and ends before its last', () => {
  const period = { abre: '2025-07-01T00:00:00-06:00', cierra: '2025-08-01T00:00:00-06:00' }
  const at = (iso: string) => periodStateOf(period, new Date(iso))
  expect(at('2025-07-01T05:59:59.999Z')).toBe('antes')
  expect(at('2025-07-01T06:00:00Z')).toBe('abierto')
  expect(at('2025-08-01T05:59:59.999Z')).toBe('abierto')
  expect(at('2025-08-01T06:00:00Z')).toBe('despues')
})

const periods = (now: string, candidates: [string, string], costumes: [string, string]): Periods => {
  const [one, other] = [candidates, costumes].map(([opens, closes]) => ({
    estado: 'antes' as const,
    abre: opens,
    cierra: closes,
    cuando: '',
  }))
  return { ahora: now, candidatas: one!, trajes: other! }
}

test('the next opening or closing of either registration counts, never a past one', () => {
  const past: [string, string] = ['2025-06-01T00:00:00Z', '2025-07-01T00:00:00Z']
  const open: [string, string] = ['2025-06-01T00:00:00Z', '2025-08-01T00:01:00Z']
  const ahead: [string, string] = ['2025-08-01T00:00:30Z', '2025-09-01T00:00:00Z']
  expect(untilNextChange(periods('2025-08-01T00:00:00Z', open, past))).toBe(60_000)
  expect(untilNextChange(periods('2025-08-01T00:00:00Z', open, ahead))).toBe(30_000)
  expect(untilNextChange(periods('2025-08-01T00:00:00Z', past, past))).toBe(Number.POSITIVE_INFINITY)
})

test('a page asks again when its call to action ends', () => {
  const past: [string, string] = ['2025-06-01T00:00:00Z', '2025-07-01T00:00:00Z']
  const said = periods('2025-09-20T05:59:00Z', past, past)
  expect(untilNextChange({ ...said, llamado: { que: 'votar', hasta: '2025-09-20T06:00:00Z' } })).toBe(60_000)
})
