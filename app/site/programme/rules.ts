import type { EventoDelPrograma } from '#app/cms/schema/programme.ts'

const DAY_MS = 86_400_000

/** Until this hour the night still belongs to the day before. */
export const MADRUGADA_MS = 4 * 3_600_000
/** How long something is taken to last that says no end. */
const SIN_FIN_MS = 90 * 60_000

/** Where something stands at a moment. */
export function estadoDe({ inicia, acaba }: Pick<EventoDelPrograma, 'inicia' | 'acaba'>, ahora: Date) {
  const [now, from] = [ahora.getTime(), Date.parse(inicia)]
  const until = acaba === undefined ? from + SIN_FIN_MS : Date.parse(acaba)
  return now < from ? 'falta' : now < until ? 'ahora' : 'paso'
}

/** Days from one to another: 2025-09-10 to 2025-09-12 are 2. */
export const diasEntre = (desde: string, hasta: string): number =>
  Math.round((Date.parse(`${hasta}T00:00Z`) - Date.parse(`${desde}T00:00Z`)) / DAY_MS)

/** The longest span that a calendar's leaf shows: six weeks. */
const MAX_CASILLAS = 42

/**
 * The days from the first to the last, as a leaf of a calendar lays them out.
 * @returns `columna`: weekday of the first, 1 (Monday) to 7; undefined where they are more than a leaf holds
 */
export function hojaDelCalendario(fechas: readonly string[]): { columna: number; casillas: string[] } | undefined {
  const [desde, hasta] = [fechas[0], fechas.at(-1)]
  if (desde === undefined || hasta === undefined) return undefined
  const columna = ((new Date(`${desde}T00:00Z`).getUTCDay() + 6) % 7) + 1
  const cuantas = diasEntre(desde, hasta) + 1
  if (columna - 1 + cuantas > MAX_CASILLAS) return undefined
  const casillas = [desde]
  while (casillas.length < cuantas)
    casillas.push(new Date(Date.parse(`${desde}T00:00Z`) + casillas.length * DAY_MS).toISOString().slice(0, 10))
  return { columna, casillas }
}
