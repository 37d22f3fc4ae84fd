/** Returns a wait in Spanish, such as «3 minutos». */
export const retryDelayInWords = (seconds: number): string =>
  seconds <= 60 ? 'un minuto' : `${Math.ceil(seconds / 60)} minutos`
