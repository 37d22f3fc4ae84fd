/**
 * A share of all votes, with one decimal and a point, as the specification writes numbers; 0.0 with no votes.
 * @source specification §9, D27
 */
export const porcentaje = (votos: number, total: number): string =>
  // Half a tenth up, exactly: votos × 1000 is an integer far below 2^53.
  (total === 0 ? 0 : Math.floor((votos * 2_000 + total) / (2 * total)) / 10).toFixed(1)

// The same in every engine: thousands by commas, as in Mexico.
export const miles = (number: number) => String(number).replace(/\B(?=(\d{3})+$)/g, ',')

/** «1 voto», «2,000 votos». */
export const cuantos = (count: number, one: string, many = `${one}s`) =>
  count === 1 ? `1 ${one}` : `${miles(count)} ${many}`

/** An act is sealed only once no vote can still be on its way. */
const GRACE_MS = 60_000

export const maySeal = (cierre: string, ahora: Date) => ahora.getTime() > Date.parse(cierre) + GRACE_MS

/** Whoever has most votes: several where they are as many, nobody where there are none. */
export function primerLugar<Fila extends { votos: number }>(filas: readonly Fila[]): Fila[] {
  const most = Math.max(1, ...filas.map(({ votos }) => votos))
  return filas.filter(({ votos }) => votos === most)
}
