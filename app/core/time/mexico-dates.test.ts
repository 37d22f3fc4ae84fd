import { afterEach, expect, test, vi } from 'vitest'
import {
  dayAndMonthOf,
  endOfDay,
  formatDateTime,
  formatDateTimeLocal,
  formatDayAndTime,
  formatFullDateTimeWithZone,
  formatLongDate,
  formatLongDateTimeWithZone,
  formatMomentInWords,
  formatNumericDateTime,
  formatPastMoment,
  formatShortDate,
  formatTimeAgo,
  isoDateOf,
  parseDateTimeLocal,
} from './mexico-dates.ts'

const CLOSING = new Date('2025-09-25T23:59:00-06:00')

test('a moment is told by the clocks of Mexico City, in as many words as its place has room for', () => {
  expect(formatLongDateTimeWithZone(CLOSING)).toMatch(
    /^25 de septiembre de 2025 a las 11:59\sp\.\s?m\., hora del centro de México$/,
  )
  expect(formatFullDateTimeWithZone(CLOSING)).toBe('jueves 25 de septiembre, 23:59, hora del centro')
  expect(formatDayAndTime(CLOSING)).toBe('25 sep, 23:59')
  expect(formatNumericDateTime(CLOSING)).toBe('2025-09-25 23:59')
  expect(formatDateTime(CLOSING)).toBe('25 sep 2025, 23:59')
  expect([isoDateOf(CLOSING), dayAndMonthOf(CLOSING)]).toEqual(['2025-09-25', { day: 25, month: 9 }])
  expect([formatShortDate('2025-10-05'), formatLongDate('2025-10-05')]).toEqual(['05/10/2025', '5 de octubre de 2025'])
})

test('a recent moment is told by the time since, an older moment by its day', () => {
  const now = new Date('2025-09-20T18:00:00Z')
  const ago = (minutes: number) => formatPastMoment(new Date(now.getTime() - minutes * 60_000), now)
  expect([ago(0), ago(4), ago(90), ago(17 * 60), ago(9 * 24 * 60), ago(300 * 24 * 60)]).toEqual([
    ...['hace un momento', 'hace 4 min', 'hoy 10:30', 'ayer 19:00', '11 sep 12:00', '24 nov 2024 12:00'],
  ])
  expect([0, 5, 59, 130].map((minutes) => formatTimeAgo(minutes * 60_000))).toEqual([
    ...['hace un momento', 'hace 5 minutos', 'hace 59 minutos', 'hace 2 horas'],
  ])
})

test('a day ends with its last millisecond in Mexico City; a text that is no day has no end', () => {
  expect(endOfDay('2025-10-05')?.toISOString()).toBe('2025-10-06T05:59:59.999Z')
  // Mexico City had daylight saving time until 2022.
  expect(endOfDay('2021-07-01')?.toISOString()).toBe('2021-07-02T04:59:59.999Z')
  for (const other of ['2025-02-30', '2025-13-01', '5/10/2025', '', '2025-10-05T10:00'])
    expect(endOfDay(other)).toBe(undefined)
})

test('a field for day and hour gives back the moment that was put into it', () => {
  expect(formatDateTimeLocal('2025-09-26T05:59:00Z')).toBe('2025-09-25T23:59')
  expect(parseDateTimeLocal('2025-09-25T23:59')).toBe('2025-09-25T23:59:00-06:00')
  expect(parseDateTimeLocal('2021-07-01T10:00')).toBe('2021-07-01T10:00:00-05:00')
  // The first hour did not exist, since daylight saving time began in it; the other texts are not moments.
  for (const other of ['2021-04-04T02:30', '2025-02-30T10:00', '0202-09-25T23:59', '2025-09-25', 'x'])
    expect(parseDateTimeLocal(other)).toBe(undefined)
})

test('the hours of every year are those that Mexico City had', () => {
  const known = new Intl.DateTimeFormat('sv-SE', {
    timeZone: 'America/Mexico_City',
    dateStyle: 'short',
    timeStyle: 'short',
  })
  const wrong: string[] = []
  for (let at = Date.UTC(1996, 0, 1); at < Date.UTC(2031, 0, 1); at += 3_600_000)
    if (formatNumericDateTime(new Date(at)) !== known.format(at)) wrong.push(new Date(at).toISOString())
  expect(wrong).toEqual([])
})

afterEach(() => {
  vi.unstubAllGlobals()
  vi.resetModules()
})

test('a device with old time zone data shows and reads the same hours', async () => {
  const MOMENTS = ['2025-09-26T05:59:00Z', '2025-04-06T08:30:00Z', '2026-07-01T05:30:00Z', '2026-01-15T18:00:00Z']
  const told = async () => {
    const dates = await import('./mexico-dates.ts')
    return MOMENTS.map((iso) => {
      const at = new Date(iso)
      return [
        ...[
          dates.formatLongDateTimeWithZone,
          dates.formatDayAndHour,
          dates.formatDayAndTime,
          dates.formatFullDateTimeWithZone,
          dates.formatTime,
          dates.formatDateTime,
        ],
        ...[dates.formatNumericDateTime, dates.isoDateOf, dates.dayAndMonthOf],
        ...[
          () => dates.formatMomentInWords(at, at, true),
          () => dates.formatPastMoment(at, new Date(at.getTime() + 86_400_000)),
        ],
        ...[
          () => dates.formatDateTimeLocal(iso),
          () => dates.parseDateTimeLocal(dates.formatDateTimeLocal(iso)),
          () => dates.endOfDay(dates.isoDateOf(at)),
        ],
      ].map((say) => say(at))
    })
  }
  const here = await told()
  vi.resetModules()
  // A device with old data takes Chicago's time for Mexico City's, and is itself in Chicago.
  class OfOldData extends Intl.DateTimeFormat {
    constructor(locale: string, options: Intl.DateTimeFormatOptions) {
      super(locale, { ...options, timeZone: options.timeZone === 'UTC' ? 'UTC' : 'America/Chicago' })
    }
  }
  vi.stubGlobal('Intl', Object.create(Intl, { DateTimeFormat: { value: OfOldData } }))
  expect(await told()).toEqual(here)
})

const now = new Date('2025-08-20T12:00:00-06:00')
const said = (moment: string, ends?: boolean) => formatMomentInWords(new Date(moment), now, ends)

test.each([
  ['2025-09-01T00:00:00-06:00', 'el lunes 1 de septiembre'],
  ['2025-09-01T10:00:00-06:00', 'el lunes 1 de septiembre a las 10 a.m.'],
  ['2025-09-01T13:30:00-06:00', 'el lunes 1 de septiembre a la 1:30 p.m.'],
  ['2025-09-03T18:05:00-06:00', 'el miércoles 3 de septiembre a las 6:05 p.m.'],
  ['2026-06-01T00:00:00-06:00', 'el 1 de junio de 2026'],
  // The moment is written in another zone, and told in Mexico City's time.
  ['2025-09-02T05:59:00Z', 'el lunes 1 de septiembre a las 11:59 p.m.'],
])('an opening at %s is said as %s', (moment, words) => {
  expect(said(moment).replaceAll('\u00a0', ' ').replaceAll('\u202f', ' ')).toBe(words)
})

test.each([
  ['2025-08-31T23:59:00-06:00', 'el domingo 31 de agosto'],
  ['2025-09-01T00:00:00-06:00', 'el domingo 31 de agosto'],
  ['2026-01-01T00:00:00-06:00', 'el miércoles 31 de diciembre'],
  ['2027-12-31T23:59:00-06:00', 'el 31 de diciembre de 2027'],
])('a closing at %s is said as %s', (moment, words) => {
  expect(said(moment, true)).toBe(words)
})
