import { expect, it } from 'vitest'
import { calendarGridOf } from './rules.ts'

it('lays a calendar’s leaf out from the first day’s weekday, unless the days are too far apart', () => {
  const sheet = calendarGridOf(['2025-09-12', '2025-09-28'])
  expect(sheet?.firstWeekday).toBe(5)
  expect(sheet?.dates).toHaveLength(17)
  expect(calendarGridOf(['2025-08-03', '2025-09-28'])).toBeUndefined()
  expect(calendarGridOf([])).toBeUndefined()
})
