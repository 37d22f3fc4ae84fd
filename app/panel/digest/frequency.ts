/** Frequency of an organiser's digest, as the database stores it. */
export type DigestFrequency = 'diario' | 'al-momento' | 'nunca'

export const DIGEST_FREQUENCIES: Readonly<Record<DigestFrequency, string>> = {
  diario: 'Una vez al día, a las 8 de la mañana',
  'al-momento': 'En cuanto hay algo, a lo más cada 15 minutos',
  nunca: 'Nunca',
}

export const isDigestFrequency = (text: string): text is DigestFrequency => Object.hasOwn(DIGEST_FREQUENCIES, text)
