/** How often an organiser is told by mail of what is new. */
export type CuandoNovedades = 'diario' | 'al-momento' | 'nunca'

export const CUANDO: Readonly<Record<CuandoNovedades, string>> = {
  diario: 'Una vez al día, a las 8 de la mañana',
  'al-momento': 'En cuanto hay algo, a lo más cada 15 minutos',
  nunca: 'Nunca',
}

export const isCuando = (text: string): text is CuandoNovedades => Object.hasOwn(CUANDO, text)
