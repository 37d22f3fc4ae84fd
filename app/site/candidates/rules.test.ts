import { describe, expect, it } from 'vitest'
import { CONFETTI, CONFETTI_INTERVAL_MS, isBirthdayToday } from './rules.ts'

describe('isBirthdayToday', () => {
  const on = (moment: string) => isBirthdayToday('7 de agosto', new Date(moment))

  it('begins and ends at midnight in Mexico City', () => {
    expect(on('2025-08-06T23:59:59-06:00')).toBe(false)
    expect(on('2025-08-07T00:00:00-06:00')).toBe(true)
    expect(on('2025-08-07T23:59:59-06:00')).toBe(true)
    expect(on('2025-08-08T00:00:00-06:00')).toBe(false)
  })

  it('ignores the clock of other time zones', () => {
    // In Mexico City it is seven in the evening of the 7th, in Greenwich already the 8th; and the reverse.
    expect(on('2025-08-08T01:00:00Z')).toBe(true)
    expect(on('2025-08-07T05:59:59Z')).toBe(false)
  })

  it('comes every year, and only in its month', () => {
    expect(on('2031-08-07T12:00:00-06:00')).toBe(true)
    expect(on('2025-07-08T12:00:00-06:00')).toBe(false)
    expect(isBirthdayToday('13 de agosto', new Date('2025-08-13T12:00:00-06:00'))).toBe(true)
  })

  it('comes once in four years for a birthday on the 29th of February', () => {
    expect(isBirthdayToday('29 de febrero', new Date('2028-02-29T12:00:00-06:00'))).toBe(true)
    expect(isBirthdayToday('29 de febrero', new Date('2027-03-01T12:00:00-06:00'))).toBe(false)
  })
})

it('bursts as the specification says', () => {
  expect(CONFETTI).toEqual({ particleCount: 80, spread: 120, startVelocity: 40, origin: { y: 0.7 } })
  expect(CONFETTI_INTERVAL_MS).toBe(1200)
})
