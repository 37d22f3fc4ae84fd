export const inWords = (seconds: number): string => (seconds <= 60 ? 'un minuto' : `${Math.ceil(seconds / 60)} minutos`)
