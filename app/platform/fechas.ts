const momento = new Intl.DateTimeFormat('es-MX', {
  dateStyle: 'long',
  timeStyle: 'short',
  timeZone: 'America/Mexico_City',
})

/** A moment as people here say it, whatever zone the device is in. @source decision 31 */
export const enMexico = (date: Date) => `${momento.format(date)}, hora del centro de México`
