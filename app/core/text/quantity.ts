import { formatThousands } from './thousands-separator.ts'

/** Returns a number with its noun: «1 voto», «2,000 votos». */
export const quantity = (count: number, singular: string, plural = `${singular}s`) =>
  count === 1 ? `1 ${singular}` : `${formatThousands(count)} ${plural}`
