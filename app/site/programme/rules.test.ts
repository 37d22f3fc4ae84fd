import { expect, it } from 'vitest'
import { calendarGridOf, statusOf } from './rules.ts'

it('tells whether an event is ahead, on or over', () => {
  const at = (hour: string) =>
    statusOf(
      { startsAt: '2025-09-12T20:00:00-06:00', endsAt: '2025-09-12T22:00:00-06:00' },
      new Date(`2025-09-12T${hour}:00-06:00`),
    )
  expect([at('19:59'), at('20:00'), at('21:59'), at('22:00')]).toEqual(['ahead', 'on', 'on', 'over'])
  expect(statusOf({ startsAt: '2025-09-12T20:00:00-06:00' }, new Date('2025-09-12T21:29:00-06:00'))).toBe('on')
})

it('lays a calendar’s leaf out from the first day’s weekday, unless the days are too far apart', () => {
  const sheet = calendarGridOf(['2025-09-12', '2025-09-28'])
  expect(sheet?.firstWeekday).toBe(5)
  expect(sheet?.dates).toHaveLength(17)
  expect(calendarGridOf(['2025-08-03', '2025-09-28'])).toBeUndefined()
  expect(calendarGridOf([])).toBeUndefined()
})
