/** A wait in words. */
export const enPalabras = (seconds: number): string =>
  seconds <= 60 ? 'un minuto' : `${Math.ceil(seconds / 60)} minutos`
