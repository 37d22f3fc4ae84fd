/**
 * Every date that the site writes or reads goes by the clocks of Mexico City, whatever zone the device is in (D31) and
 * whatever it believes of that zone: a device whose data is from before October 2022 still gives Mexico a summer time.
 * So `Intl` is asked for no zone but UTC, and gets moments that `wallClock` has moved.
 * Each formatter is made when it is first used, so a screen pays only for its own.
 */
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

/** The midnight, in UTC, of the last Sunday up to a day; months from 0. */
function sundayUpTo(year: number, month: number, day: number): number {
  const at = Date.UTC(year, month, day)
  return at - new Date(at).getUTCDay() * DAY_MS
}

/**
 * How far Mexico City's clocks are from UTC: six hours behind, and five in summer from 1996 until 2022.
 * @source Ley de los Husos Horarios (DOF, 28 October 2022): no summer time since. The decrees before it: from the first
 * Sunday of April to the last of October at two o'clock, in 2001 from the first of May to the last of September.
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

/** A date whose UTC fields are what Mexico City's clocks say at a moment. */
export const wallClock = (at: Date | number): Date => new Date(Number(at) + offsetMs(Number(at)))

type Opciones = Omit<Intl.DateTimeFormatOptions, 'timeZone'>

function formato(locale: string, opciones: Opciones): () => Intl.DateTimeFormat {
  let made: Intl.DateTimeFormat | undefined
  return () => {
    made ??= new Intl.DateTimeFormat(locale, { ...opciones, timeZone: 'UTC' })
    return made
  }
}

const HORA_Y_MINUTO: Opciones = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }
const DIA_Y_MES: Opciones = { day: 'numeric', month: 'short' }

const largo = /* @__PURE__ */ formato('es-MX', { dateStyle: 'long', timeStyle: 'short' })
const diaLargo = /* @__PURE__ */ formato('es-MX', { dateStyle: 'long' })
const diaYMes = /* @__PURE__ */ formato('es-MX', DIA_Y_MES)
const diaMesYAnio = /* @__PURE__ */ formato('es-MX', { ...DIA_Y_MES, year: 'numeric' })
const diaYHora = /* @__PURE__ */ formato('es-MX', { ...DIA_Y_MES, hour: '2-digit', hourCycle: 'h23' })
const diaHoraYMinuto = /* @__PURE__ */ formato('es-MX', { ...DIA_Y_MES, ...HORA_Y_MINUTO })
const conDiaDeLaSemana = /* @__PURE__ */ formato('es-MX', {
  ...{ weekday: 'long', day: 'numeric', month: 'long' },
  ...HORA_Y_MINUTO,
})
const diaDeLaSemana = /* @__PURE__ */ formato('es-MX', { weekday: 'long' })
const diaDelMes = /* @__PURE__ */ formato('es-MX', { day: 'numeric', month: 'long' })
const enDoce = /* @__PURE__ */ formato('es-MX', { hour: 'numeric', minute: '2-digit', hour12: true })

const partes = (format: Intl.DateTimeFormat, at: Date): Partial<Record<Intl.DateTimeFormatPartTypes, string>> =>
  Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]))

/** «25 de septiembre de 2025 a las 11:59 p.m.» */
export const enReloj = (at: Date): string => largo().format(wallClock(at))

/** Like `enReloj`, for readers who might think of another zone. */
export const enMexico = (at: Date): string => `${enReloj(at)}, hora del centro de México`

/** «25 sep, 23»: a whole hour, without its minutes. */
export const enDiaYHora = (at: Date | number): string => diaYHora().format(wallClock(at))

/** «25 sep, 23:59» */
export const enDiaHoraYMinuto = (at: Date): string => diaHoraYMinuto().format(wallClock(at))

/**
 * «jueves 25 de septiembre, 23:59, hora del centro»: only for the server, since browsers' engines differ in a comma.
 */
export function conDia(at: Date): string {
  const { weekday, day, month, hour, minute } = partes(conDiaDeLaSemana(), wallClock(at))
  return `${weekday} ${day} de ${month}, ${hour}:${minute}, hora del centro`
}

/**
 * When something opens or closes, as people say it: «el lunes 1 de septiembre a las 10 a.m.», or with its year in place
 * of the weekday when that is not this year's. Midnight is said without an hour: what closes at midnight ends with the
 * day before.
 * @param ends whether the moment is a closing
 */
export function comoSeDice(at: Date, now: Date, ends = false): string {
  const clock = wallClock(at)
  const [hour, minute] = [clock.getUTCHours(), clock.getUTCMinutes()]
  const isMidnight = hour === 0 && minute === 0
  const day = ends && isMidnight ? new Date(clock.getTime() - MINUTE_MS) : clock
  const year = String(day.getUTCFullYear())
  const said =
    year === diaDe(now).slice(0, 4)
      ? `el ${diaDeLaSemana().format(day)} ${diaDelMes().format(day)}`
      : `el ${diaDelMes().format(day)} de ${year}`
  const lasts = ends && hour === 23 && minute === 59
  if (isMidnight || lasts) return said
  return `${said} a ${hour % 12 === 1 ? 'la' : 'las'} ${enDoce().format(clock).replace(':00', '')}`
}

/** «13:05» */
export const enHora = (at: Date): string => wallClock(at).toISOString().slice(11, 16)

/** Day and hour for tables that machines read: «2025-06-12 10:08». */
export const fechaYHora = (at: Date): string => `${diaDe(at)} ${enHora(at)}`

/** Day and hour with their year: «12 jun 2025, 10:08». */
export const enFecha = (at: Date): string => `${diaMesYAnio().format(wallClock(at))}, ${enHora(at)}`

/** When something happened, as short as it is clear: «hace 4 min», «hoy 10:30», «ayer 19:02», «12 jun 10:08». */
export function cuando(at: Date, ahora: Date): string {
  const minutes = Math.floor((ahora.getTime() - at.getTime()) / 60_000)
  if (minutes >= 0 && minutes < 1) return 'hace un momento'
  if (minutes >= 0 && minutes < 60) return `hace ${minutes} min`
  if (diaDe(at) === diaDe(ahora)) return `hoy ${enHora(at)}`
  if (diaDe(at) === diaDe(new Date(ahora.getTime() - DAY_MS))) return `ayer ${enHora(at)}`
  const sameYear = diaDe(at).slice(0, 4) === diaDe(ahora).slice(0, 4)
  return `${(sameYear ? diaYMes : diaMesYAnio)().format(wallClock(at))} ${enHora(at)}`
}

/** How long ago, in whole minutes or hours: «hace un momento», «hace 5 minutos», «hace 2 horas». */
export function hace(ms: number): string {
  const format = new Intl.RelativeTimeFormat('es-MX')
  const minutes = Math.round(ms / 60_000)
  if (minutes < 1) return 'hace un momento'
  return minutes < 60 ? format.format(-minutes, 'minute') : format.format(-Math.round(minutes / 60), 'hour')
}

/** The day of a moment: «2025-10-05». */
export const diaDe = (at: Date): string => wallClock(at).toISOString().slice(0, 10)

/** The day and the month of a moment as numbers, from 1. */
export function diaYMesDe(at: Date): { dia: number; mes: number } {
  const clock = wallClock(at)
  return { dia: clock.getUTCDate(), mes: clock.getUTCMonth() + 1 }
}

/** The last moment of a day like 2025-10-05; undefined for what is no day. */
export function finDelDia(dia: string): Date | undefined {
  const last = momentoDe(`${dia}T23:59`)
  return last === undefined ? undefined : new Date(Date.parse(last) + 59_999)
}

/** 2025-10-05 as people write it: «05/10/2025». */
export const fechaDe = (dia: string): string => dia.split('-').toReversed().join('/')

/** 2025-10-05 in words: «5 de octubre de 2025». */
export const diaEnPalabras = (dia: string): string => diaLargo().format(new Date(`${dia}T12:00Z`))

/** A moment as an `<input type="datetime-local">` takes it: «2025-09-25T23:59». */
export const aqui = (iso: string): string => fechaYHora(new Date(iso)).replace(' ', 'T')

/** The moment that such a field means, as ISO with its zone; undefined for a moment that does not exist. */
export function momentoDe(local: string): string | undefined {
  // Not the year 202, which a field gives while 2025 is being typed.
  if (!/^(?:19|2\d)\d\d-\d\d-\d\dT\d\d:\d\d$/.test(local)) return undefined
  return ['-06:00', '-05:00']
    .map((offset) => `${local}:00${offset}`)
    .find((iso) => !Number.isNaN(Date.parse(iso)) && aqui(iso) === local)
}

const enPalabras = /* @__PURE__ */ formato('es-MX', { weekday: 'long', day: 'numeric', month: 'long' })

/** 2025-09-12 as a calendar's leaf has it: «viernes», 12, «septiembre». */
export function hojaDe(dia: string): { semana: string; numero: number; mes: string } {
  const { weekday = '', day, month = '' } = partes(enPalabras(), new Date(`${dia}T12:00Z`))
  return { semana: weekday, numero: Number(day), mes: month }
}

/** The days from one to another, as people say them: «del 12 al 28 de septiembre», «del 28 de agosto al 5 de septiembre». */
export function delDiaAlDia(desde: string, hasta: string): string {
  const [first, last] = [hojaDe(desde), hojaDe(hasta)]
  if (desde === hasta) return `el ${first.numero} de ${first.mes}`
  const ends = `al ${last.numero} de ${last.mes}`
  return first.mes === last.mes ? `del ${first.numero} ${ends}` : `del ${first.numero} de ${first.mes} ${ends}`
}
