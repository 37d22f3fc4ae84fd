const momento = new Intl.DateTimeFormat('es-MX', {
  dateStyle: 'long',
  timeStyle: 'short',
  timeZone: 'America/Mexico_City',
})

/** A moment as the clocks of Mexico City show it, whatever zone the device is in. @source decision 31 */
export const enReloj = (date: Date) => momento.format(date)

/** The same, for whoever might think of another zone. */
export const enMexico = (date: Date) => `${enReloj(date)}, hora del centro de México`
