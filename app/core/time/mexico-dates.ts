import { DAY_MS, HOUR_MS, MINUTE_MS } from './durations.ts'

// Every date that people read or type is in Mexico City's time. It does not depend on the device's time zone, nor on its
// time zone data, which before October 2022 still had daylight saving time in Mexico. Every formatter is therefore in UTC, and is
// given a moment shifted by `wallClock`, or noon in UTC of a date. Each formatter is created when it is first used, since creating
// one takes milliseconds.

/** Returns midnight in UTC of the last Sunday on or before a day; months count from 0. */
function lastSundayOnOrBefore(year: number, month: number, day: number): number {
  const momentMs = Date.UTC(year, month, day)
  return momentMs - new Date(momentMs).getUTCDay() * DAY_MS
}

/**
 * Returns Mexico City's offset from UTC: −6 hours, but −5 in the summers from 1996 to 2022.
 * @source Ley de los Husos Horarios (DOF, 28 October 2022), which ended daylight saving time. By the decrees before it, daylight
 * saving time lasted from the first Sunday of April to the last of October, in 2001 from the first Sunday of May to the last of
 * September, and changed at two o'clock.
 */
function offsetMs(momentMs: number): number {
  const year = new Date(momentMs).getUTCFullYear()
  const [firstMonth, lastMonth] = year === 2001 ? [4, 8] : [3, 9]
  // Two o'clock is 08:00 UTC in standard time, and 07:00 UTC in summer time.
  const isSummer =
    year >= 1996 &&
    year <= 2022 &&
    momentMs >= lastSundayOnOrBefore(year, firstMonth, 7) + 8 * HOUR_MS &&
    momentMs < lastSundayOnOrBefore(year, lastMonth + 1, 0) + 7 * HOUR_MS
  return (isSummer ? -5 : -6) * HOUR_MS
}

/** Returns a date whose UTC fields are Mexico City's wall-clock time at a moment. */
export const wallClock = (moment: Date | number): Date => new Date(Number(moment) + offsetMs(Number(moment)))

type FormatOptions = Omit<Intl.DateTimeFormatOptions, 'timeZone'>

function lazy<Format>(create: () => Format): () => Format {
  let formatter: Format | undefined
  return () => {
    formatter ??= create()
    return formatter
  }
}
const lazyFormat = (locale: string, options: FormatOptions) =>
  lazy(() => new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' }))

const HOUR_AND_MINUTE: FormatOptions = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }
const DAY_AND_MONTH: FormatOptions = { day: 'numeric', month: 'short' }

const longDateTimeFormat = /* @__PURE__ */ lazyFormat('es-MX', { dateStyle: 'long', timeStyle: 'short' })
const longDateFormat = /* @__PURE__ */ lazyFormat('es-MX', { dateStyle: 'long' })
const dayAndMonthFormat = /* @__PURE__ */ lazyFormat('es-MX', DAY_AND_MONTH)
const dayMonthAndYearFormat = /* @__PURE__ */ lazyFormat('es-MX', { ...DAY_AND_MONTH, year: 'numeric' })
const dayAndHourFormat = /* @__PURE__ */ lazyFormat('es-MX', { ...DAY_AND_MONTH, hour: '2-digit', hourCycle: 'h23' })
const dayAndTimeFormat = /* @__PURE__ */ lazyFormat('es-MX', { ...DAY_AND_MONTH, ...HOUR_AND_MINUTE })
const fullDateTimeFormat = /* @__PURE__ */ lazyFormat('es-MX', {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  ...HOUR_AND_MINUTE,
})
const weekdayFormat = /* @__PURE__ */ lazyFormat('es-MX', { weekday: 'long' })
const longDayAndMonthFormat = /* @__PURE__ */ lazyFormat('es-MX', { day: 'numeric', month: 'long' })
const timeAgoFormat = /* @__PURE__ */ lazy(() => new Intl.RelativeTimeFormat('es-MX'))
const twelveHourFormat = /* @__PURE__ */ lazyFormat('es-MX', { hour: 'numeric', minute: '2-digit', hour12: true })

const partsOf = (format: Intl.DateTimeFormat, moment: Date): Partial<Record<Intl.DateTimeFormatPartTypes, string>> =>
  Object.fromEntries(format.formatToParts(moment).map(({ type, value }) => [type, value]))

/** Formats a moment as «25 de septiembre de 2025 a las 11:59 p.m.». */
export const formatLongDateTime = (moment: Date): string => longDateTimeFormat().format(wallClock(moment))

/** Formats a moment like `formatLongDateTime`, with the time zone for readers elsewhere. */
export const formatLongDateTimeWithZone = (moment: Date): string =>
  `${formatLongDateTime(moment)}, hora del centro de México`

/** Formats a moment as «25 sep, 23», without its minutes. */
export const formatDayAndHour = (moment: Date | number): string => dayAndHourFormat().format(wallClock(moment))

/** Formats a moment as «25 sep, 23:59», without its year. */
export const formatDayAndTime = (moment: Date): string => dayAndTimeFormat().format(wallClock(moment))

/**
 * Formats a moment as «jueves 25 de septiembre, 23:59, hora del centro». The parts are joined here, since browsers join them with
 * different commas, which would break hydration.
 */
export function formatFullDateTimeWithZone(moment: Date): string {
  const { weekday, day, month, hour, minute } = partsOf(fullDateTimeFormat(), wallClock(moment))
  return `${weekday} ${day} de ${month}, ${hour}:${minute}, hora del centro`
}

/**
 * Formats an opening or closing: «el lunes 1 de septiembre a las 10 a.m.» or, in another year than `now`, «el 1 de septiembre de
 * 2026 a las 10 a.m.». The hour is left out at midnight and for a closing at 23:59. A closing at midnight is formatted as the day
 * before.
 */
export function formatMomentInWords(moment: Date, now: Date, isClosing = false): string {
  const mexicoTime = wallClock(moment)
  const [hour, minute] = [mexicoTime.getUTCHours(), mexicoTime.getUTCMinutes()]
  const isMidnight = hour === 0 && minute === 0
  const day = isClosing && isMidnight ? new Date(mexicoTime.getTime() - MINUTE_MS) : mexicoTime
  const year = String(day.getUTCFullYear())
  const dayText =
    year === isoDateOf(now).slice(0, 4)
      ? `el ${weekdayFormat().format(day)} ${longDayAndMonthFormat().format(day)}`
      : `el ${longDayAndMonthFormat().format(day)} de ${year}`
  const isWholeDay = isClosing && hour === 23 && minute === 59
  if (isMidnight || isWholeDay) return dayText
  return `${dayText} a ${hour % 12 === 1 ? 'la' : 'las'} ${twelveHourFormat().format(mexicoTime).replace(':00', '')}`
}

/** Formats a moment as «13:05». */
export const formatTime = (moment: Date): string => wallClock(moment).toISOString().slice(11, 16)

/** Formats a moment for machine-readable tables: «2025-06-12 10:08». */
export const formatNumericDateTime = (moment: Date): string => `${isoDateOf(moment)} ${formatTime(moment)}`

/** Formats a moment with its year: «12 jun 2025, 10:08». */
export const formatDateTime = (moment: Date): string =>
  `${dayMonthAndYearFormat().format(wallClock(moment))}, ${formatTime(moment)}`

/**
 * Formats a past moment briefly, for a list: «hace un momento», «hace 4 min», «hoy 10:30», «ayer 19:02», «12 jun 10:08», «12 jun
 * 2024 10:08».
 */
export function formatPastMoment(moment: Date, now: Date): string {
  const minutes = Math.floor((now.getTime() - moment.getTime()) / MINUTE_MS)
  if (minutes >= 0 && minutes < 1) return 'hace un momento'
  if (minutes >= 0 && minutes < 60) return `hace ${minutes} min`
  if (isoDateOf(moment) === isoDateOf(now)) return `hoy ${formatTime(moment)}`
  if (isoDateOf(moment) === isoDateOf(new Date(now.getTime() - DAY_MS))) return `ayer ${formatTime(moment)}`
  const isSameYear = isoDateOf(moment).slice(0, 4) === isoDateOf(now).slice(0, 4)
  return `${(isSameYear ? dayAndMonthFormat : dayMonthAndYearFormat)().format(wallClock(moment))} ${formatTime(moment)}`
}

/** Formats an elapsed time for a sentence: «hace un momento», «hace 5 minutos», «hace 2 horas». */
export function formatTimeAgo(ms: number): string {
  const minutes = Math.round(ms / MINUTE_MS)
  if (minutes < 1) return 'hace un momento'
  return minutes < 60
    ? timeAgoFormat().format(-minutes, 'minute')
    : timeAgoFormat().format(-Math.round(minutes / 60), 'hour')
}

/** Returns the date of a moment: «2025-10-05». */
export const isoDateOf = (moment: Date): string => wallClock(moment).toISOString().slice(0, 10)

/** Returns day and month of a moment as numbers from 1. */
export function dayAndMonthOf(moment: Date): { day: number; month: number } {
  const mexicoTime = wallClock(moment)
  return { day: mexicoTime.getUTCDate(), month: mexicoTime.getUTCMonth() + 1 }
}

/** Returns the last moment of a date such as 2025-10-05, or undefined for any other text. */
export function endOfDay(isoDate: string): Date | undefined {
  const lastMinute = parseDateTimeLocal(`${isoDate}T23:59`)
  return lastMinute === undefined ? undefined : new Date(Date.parse(lastMinute) + MINUTE_MS - 1)
}

/** Formats 2025-10-05 as «05/10/2025». */
export const formatShortDate = (isoDate: string): string => isoDate.split('-').toReversed().join('/')

/** Formats 2025-10-05 as «5 de octubre de 2025». */
export const formatLongDate = (isoDate: string): string => longDateFormat().format(new Date(`${isoDate}T12:00Z`))

/** Formats a moment as the value of an `<input type="datetime-local">`: «2025-09-25T23:59». */
export const formatDateTimeLocal = (iso: string): string => formatNumericDateTime(new Date(iso)).replace(' ', 'T')

/**
 * Returns the moment of a `datetime-local` value in ISO 8601 with its offset, or undefined for other text, and for a moment that
 * does not exist, as in the hour that daylight saving time skips.
 */
export function parseDateTimeLocal(local: string): string | undefined {
  // While 2025 is being typed, the field has the year 0202, which is refused.
  if (!/^(?:19|2\d)\d\d-\d\d-\d\dT\d\d:\d\d$/.test(local)) return undefined
  return ['-06:00', '-05:00']
    .map((offset) => `${local}:00${offset}`)
    .find((iso) => !Number.isNaN(Date.parse(iso)) && formatDateTimeLocal(iso) === local)
}

const fullDateFormat = /* @__PURE__ */ lazyFormat('es-MX', { weekday: 'long', day: 'numeric', month: 'long' })

/** Returns the parts of 2025-09-12 in words: «viernes», 12, «septiembre». */
export function datePartsOf(isoDate: string): { weekday: string; day: number; month: string } {
  const { weekday = '', day, month = '' } = partsOf(fullDateFormat(), new Date(`${isoDate}T12:00Z`))
  return { weekday, day: Number(day), month }
}

/**
 * Formats a range of dates without the year: «del 12 al 28 de septiembre», «del 28 de agosto al 5 de septiembre», «el 12 de
 * septiembre» for a single day.
 */
export function formatDateRange(from: string, to: string): string {
  const [first, last] = [datePartsOf(from), datePartsOf(to)]
  if (from === to) return `el ${first.day} de ${first.month}`
  const endText = `al ${last.day} de ${last.month}`
  return first.month === last.month ? `del ${first.day} ${endText}` : `del ${first.day} de ${first.month} ${endText}`
}
