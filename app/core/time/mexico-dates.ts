/**
 * Every date that the site writes or reads is in Mexico City's time, independent of the device's zone (D31) and of its zone data:
 * data from before October 2022 still give Mexico daylight saving time. So `Intl` is only asked for UTC, and gets moments that
 * `wallClock` has moved. Each formatter is made when it is first used, so a screen pays only for its own.
 */
export const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000

/** Returns midnight in UTC of the last Sunday on or before a day; months count from 0. */
function sundayUpTo(year: number, month: number, day: number): number {
  const at = Date.UTC(year, month, day)
  return at - new Date(at).getUTCDay() * DAY_MS
}

/**
 * Returns Mexico City's offset from UTC: −6 hours, and −5 in summer from 1996 until 2022.
 * @source Ley de los Husos Horarios (DOF, 28 October 2022): no daylight saving time since. The decrees before it: from the first
 * Sunday of April to the last of October at two o'clock, in 2001 from the first Sunday of May to the last of September.
 */
function offsetMs(at: number): number {
  const year = new Date(at).getUTCFullYear()
  const [first, last] = year === 2001 ? [4, 8] : [3, 9]
  const isSummer =
    year >= 1996 &&
    year <= 2022 &&
    at >= sundayUpTo(year, first, 7) + 8 * HOUR_MS &&
    at < sundayUpTo(year, last + 1, 0) + 7 * HOUR_MS
  return (isSummer ? -5 : -6) * HOUR_MS
}

/** Returns a date whose UTC fields are Mexico City's wall-clock time at a moment. */
export const wallClock = (at: Date | number): Date => new Date(Number(at) + offsetMs(Number(at)))

type Options = Omit<Intl.DateTimeFormatOptions, 'timeZone'>

function once<Format>(make: () => Format): () => Format {
  let formatter: Format | undefined
  return () => {
    formatter ??= make()
    return formatter
  }
}
const format = (locale: string, options: Options) =>
  once(() => new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' }))

const HOUR_AND_MINUTE: Options = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }
const DAY_AND_MONTH: Options = { day: 'numeric', month: 'short' }

const longDateTimeFormat = /* @__PURE__ */ format('es-MX', { dateStyle: 'long', timeStyle: 'short' })
const longDateFormat = /* @__PURE__ */ format('es-MX', { dateStyle: 'long' })
const dayMonthFormat = /* @__PURE__ */ format('es-MX', DAY_AND_MONTH)
const dayMonthYearFormat = /* @__PURE__ */ format('es-MX', { ...DAY_AND_MONTH, year: 'numeric' })
const dayHourFormat = /* @__PURE__ */ format('es-MX', { ...DAY_AND_MONTH, hour: '2-digit', hourCycle: 'h23' })
const dayTimeFormat = /* @__PURE__ */ format('es-MX', { ...DAY_AND_MONTH, ...HOUR_AND_MINUTE })
const weekdayTimeFormat = /* @__PURE__ */ format('es-MX', {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  ...HOUR_AND_MINUTE,
})
const weekdayFormat = /* @__PURE__ */ format('es-MX', { weekday: 'long' })
const dayOfMonthFormat = /* @__PURE__ */ format('es-MX', { day: 'numeric', month: 'long' })
const timeAgoFormat = /* @__PURE__ */ once(() => new Intl.RelativeTimeFormat('es-MX'))
const twelveHourFormat = /* @__PURE__ */ format('es-MX', { hour: 'numeric', minute: '2-digit', hour12: true })

const parts = (format: Intl.DateTimeFormat, at: Date): Partial<Record<Intl.DateTimeFormatPartTypes, string>> =>
  Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]))

/** Formats a moment as «25 de septiembre de 2025 a las 11:59 p.m.». */
export const formatLongDateTime = (at: Date): string => longDateTimeFormat().format(wallClock(at))

/** Adds the time zone to `formatLongDateTime`, for readers elsewhere. */
export const formatLongDateTimeWithZone = (at: Date): string => `${formatLongDateTime(at)}, hora del centro de México`

/** Formats a whole hour without its minutes: «25 sep, 23». */
export const formatDayAndHour = (at: Date | number): string => dayHourFormat().format(wallClock(at))

/** Formats a moment as «25 sep, 23:59», without its year. */
export const formatDayAndTime = (at: Date): string => dayTimeFormat().format(wallClock(at))

/**
 * Formats a moment as «jueves 25 de septiembre, 23:59, hora del centro». Only the server may call it, since browsers' engines
 * differ in a comma, and hydration would fail.
 */
export function formatWeekdayAndTime(at: Date): string {
  const { weekday, day, month, hour, minute } = parts(weekdayTimeFormat(), wallClock(at))
  return `${weekday} ${day} de ${month}, ${hour}:${minute}, hora del centro`
}

/**
 * Tells the moment of an opening or closing: «el lunes 1 de septiembre a las 10 a.m.», with the year in place of the weekday when
 * it is not this year's. Midnight is told without an hour: a closing at midnight ends with the day before, and so does one at
 * 23:59.
 * @param ends whether the moment is a closing
 */
export function formatMomentInWords(at: Date, now: Date, ends = false): string {
  const clock = wallClock(at)
  const [hour, minute] = [clock.getUTCHours(), clock.getUTCMinutes()]
  const isMidnight = hour === 0 && minute === 0
  const day = ends && isMidnight ? new Date(clock.getTime() - MINUTE_MS) : clock
  const year = String(day.getUTCFullYear())
  const dayText =
    year === dayOf(now).slice(0, 4)
      ? `el ${weekdayFormat().format(day)} ${dayOfMonthFormat().format(day)}`
      : `el ${dayOfMonthFormat().format(day)} de ${year}`
  const isWholeDay = ends && hour === 23 && minute === 59
  if (isMidnight || isWholeDay) return dayText
  return `${dayText} a ${hour % 12 === 1 ? 'la' : 'las'} ${twelveHourFormat().format(clock).replace(':00', '')}`
}

/** Formats a moment as «13:05». */
export const formatTime = (at: Date): string => wallClock(at).toISOString().slice(11, 16)

/** Formats a moment for machine-readable tables: «2025-06-12 10:08». */
export const formatNumericDateTime = (at: Date): string => `${dayOf(at)} ${formatTime(at)}`

/** Formats a moment with its year: «12 jun 2025, 10:08». */
export const formatDateTime = (at: Date): string => `${dayMonthYearFormat().format(wallClock(at))}, ${formatTime(at)}`

/** Formats a past moment, as short as it is clear: «hace 4 min», «hoy 10:30», «ayer 19:02», «12 jun 10:08». */
export function formatPastMoment(at: Date, now: Date): string {
  const minutes = Math.floor((now.getTime() - at.getTime()) / 60_000)
  if (minutes >= 0 && minutes < 1) return 'hace un momento'
  if (minutes >= 0 && minutes < 60) return `hace ${minutes} min`
  if (dayOf(at) === dayOf(now)) return `hoy ${formatTime(at)}`
  if (dayOf(at) === dayOf(new Date(now.getTime() - DAY_MS))) return `ayer ${formatTime(at)}`
  const sameYear = dayOf(at).slice(0, 4) === dayOf(now).slice(0, 4)
  return `${(sameYear ? dayMonthFormat : dayMonthYearFormat)().format(wallClock(at))} ${formatTime(at)}`
}

/** Formats an elapsed time in whole minutes or hours: «hace un momento», «hace 5 minutos», «hace 2 horas». */
export function formatTimeAgo(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  if (minutes < 1) return 'hace un momento'
  return minutes < 60
    ? timeAgoFormat().format(-minutes, 'minute')
    : timeAgoFormat().format(-Math.round(minutes / 60), 'hour')
}

/** Returns the day of a moment: «2025-10-05». */
export const dayOf = (at: Date): string => wallClock(at).toISOString().slice(0, 10)

/** Returns day and month of a moment as numbers from 1. */
export function dayAndMonthOf(at: Date): { day: number; month: number } {
  const clock = wallClock(at)
  return { day: clock.getUTCDate(), month: clock.getUTCMonth() + 1 }
}

/** Returns the last moment of a day such as 2025-10-05; undefined for any other text. */
export function endOfDay(dayOfMonth: string): Date | undefined {
  const last = parseDateTimeLocal(`${dayOfMonth}T23:59`)
  return last === undefined ? undefined : new Date(Date.parse(last) + 59_999)
}

/** Formats 2025-10-05 as «05/10/2025». */
export const formatShortDate = (dayOfMonth: string): string => dayOfMonth.split('-').toReversed().join('/')

/** Formats 2025-10-05 as «5 de octubre de 2025». */
export const formatLongDate = (dayOfMonth: string): string => longDateFormat().format(new Date(`${dayOfMonth}T12:00Z`))

/** Formats a moment as an `<input type="datetime-local">` takes it: «2025-09-25T23:59». */
export const formatDateTimeLocal = (iso: string): string => formatNumericDateTime(new Date(iso)).replace(' ', 'T')

/**
 * Returns the moment of a `datetime-local` value, as ISO with its offset; undefined for a moment that does not exist, as in the
 * hour that daylight saving time skips.
 */
export function parseDateTimeLocal(local: string): string | undefined {
  // The year 202, which the field has while 2025 is being typed, is no year.
  if (!/^(?:19|2\d)\d\d-\d\d-\d\dT\d\d:\d\d$/.test(local)) return undefined
  return ['-06:00', '-05:00']
    .map((offset) => `${local}:00${offset}`)
    .find((iso) => !Number.isNaN(Date.parse(iso)) && formatDateTimeLocal(iso) === local)
}

const leafFormat = /* @__PURE__ */ format('es-MX', { weekday: 'long', day: 'numeric', month: 'long' })

/** Splits 2025-09-12 as on a calendar's leaf: «viernes», 12, «septiembre». */
export function leafOf(dayOfMonth: string): { weekday: string; day: number; month: string } {
  const { weekday = '', day, month = '' } = parts(leafFormat(), new Date(`${dayOfMonth}T12:00Z`))
  return { weekday, day: Number(day), month }
}

/** Formats a range of days: «del 12 al 28 de septiembre», «del 28 de agosto al 5 de septiembre». The year is not told. */
export function formatDayRange(from: string, to: string): string {
  const [first, last] = [leafOf(from), leafOf(to)]
  if (from === to) return `el ${first.day} de ${first.month}`
  const ends = `al ${last.day} de ${last.month}`
  return first.month === last.month ? `del ${first.day} ${ends}` : `del ${first.day} de ${first.month} ${ends}`
}
