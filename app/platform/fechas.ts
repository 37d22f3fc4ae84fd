const momento = new Intl.DateTimeFormat('es-MX', {
  dateStyle: 'long',
  timeStyle: 'short',
  timeZone: 'America/Mexico_City',
})

/** A moment as the clocks of Mexico City show it, whatever zone the device is in. @source decision 31 */
export const enReloj = (date: Date) => momento.format(date)

/** The same, for whoever might think of another zone. */
export const enMexico = (date: Date) => `${enReloj(date)}, hora del centro de México`

const ZONA = { timeZone: 'America/Mexico_City' } as const
const diaDeLaSemana = new Intl.DateTimeFormat('es-MX', { ...ZONA, weekday: 'long' })
const diaDelMes = new Intl.DateTimeFormat('es-MX', { ...ZONA, day: 'numeric', month: 'long' })
const delAnio = new Intl.DateTimeFormat('es-MX', { ...ZONA, year: 'numeric' })
const horaDelDia = new Intl.DateTimeFormat('es-MX', { ...ZONA, hour: 'numeric', minute: '2-digit', hourCycle: 'h23' })
const enDoce = new Intl.DateTimeFormat('es-MX', { ...ZONA, hour: 'numeric', minute: '2-digit', hour12: true })

const MINUTE_MS = 60_000

/**
 * When something opens or closes, as people say it: «el lunes 1 de septiembre a las 10 a.m.», or with its year in place
 * of the weekday when that is not this year's. Midnight has no hour: what closes in it ends with the day before.
 * @param ends whether it is an end
 * @source D31
 */
export function comoSeDice(date: Date, now: Date, ends = false): string {
  const [hour, minute] = horaDelDia.format(date).split(':').map(Number)
  const isMidnight = hour === 0 && minute === 0
  const day = ends && isMidnight ? new Date(date.getTime() - MINUTE_MS) : date
  const isThisYear = delAnio.format(day) === delAnio.format(now)
  const said = isThisYear
    ? `el ${diaDeLaSemana.format(day)} ${diaDelMes.format(day)}`
    : `el ${diaDelMes.format(day)} de ${delAnio.format(day)}`
  const lasts = ends && hour === 23 && minute === 59
  if (isMidnight || lasts) return said
  const time = enDoce.format(date).replace(':00', '')
  return `${said} a ${hour! % 12 === 1 ? 'la' : 'las'} ${time}`
}
