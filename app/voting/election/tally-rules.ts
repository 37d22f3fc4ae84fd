import type { ClaseDeMarca } from '#app/core/db/tables.ts'
import { miles } from '#app/core/text/thousands-separator.ts'

/**
 * A share of all votes in percent, with one decimal and a point; 0.0 with no votes.
 * @source §9, D27
 */
export const porcentaje = (votos: number, total: number): string =>
  // Half a tenth is rounded up, exactly: votos × 2000 is an integer far below 2^53.
  (total === 0 ? 0 : Math.floor((votos * 2_000 + total) / (2 * total)) / 10).toFixed(1)

/** «1 voto», «2,000 votos». */
export const cuantos = (count: number, one: string, many = `${one}s`) =>
  count === 1 ? `1 ${one}` : `${miles(count)} ${many}`

export const mayuscula = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** How long after the deadline the act may be sealed: no vote can still be on its way then. */
const GRACE_MS = 60_000

export const maySeal = (cierre: string, ahora: Date) => ahora.getTime() > Date.parse(cierre) + GRACE_MS

/** Who of those that take part has most votes: several at a tie, nobody where there are no votes. */
export function primerLugar<Fila extends { votos: number; retirada?: boolean }>(all: readonly Fila[]): Fila[] {
  const filas = all.filter(({ retirada }) => !retirada)
  const most = Math.max(1, ...filas.map(({ votos }) => votos))
  return filas.filter(({ votos }) => votos === most)
}

/** Words for what a mark is on, as people read it. */
export function nombreDeMarca({ clase, origen }: { clase: ClaseDeMarca; origen: string }): string {
  const [red = '', host = ''] = origen.split(' ')
  const nombres: Record<ClaseDeMarca, string> = {
    dominio: `correos de ${origen}`,
    receptor: `correos que recibe el servidor ${origen}`,
    alojamiento: `correos de dominios propios en ${host} desde la red ${red.slice(0, 6)}`,
    desechable: 'correos desechables',
    servicio: 'correos de servicios de alias',
    'rafaga-red': `ráfaga desde la red ${origen.slice(0, 6)}`,
    'rafaga-bloque': `ráfaga desde el bloque ${origen.slice(0, 6)}`,
    'antes-red': `red ${origen.slice(0, 6)}, marcada al votar`,
    'antes-dominio': `correos de ${origen}, marcados al votar`,
  }
  return nombres[clase]
}
