import type { FlagKind } from '#app/core/db/tables.ts'
import { formatThousands } from '#app/core/text/thousands-separator.ts'

/** Returns a share of all votes in percent, with one decimal and a point; 0.0 with no votes (§9, D27). */
export const percentage = (votes: number, total: number): string =>
  // Rounds half a tenth up, exactly: votes × 2000 is an integer far below 2^53.
  (total === 0 ? 0 : Math.floor((votes * 2_000 + total) / (2 * total)) / 10).toFixed(1)

/** Returns a number with its noun: «1 voto», «2,000 votos». */
export const quantity = (count: number, one: string, many = `${one}s`) =>
  count === 1 ? `1 ${one}` : `${formatThousands(count)} ${many}`

export const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** The closing record is sealed only this many milliseconds after the deadline, when no vote can still be on its way. */
const GRACE_MS = 60_000

export const maySeal = (closing: string, now: Date) => now.getTime() > Date.parse(closing) + GRACE_MS

/** Returns the rows with most votes among candidates who take part: several rows at a tie, none without votes. */
export function leadersOf<Row extends { votos: number; isWithdrawn?: boolean }>(all: readonly Row[]): Row[] {
  const rows = all.filter(({ isWithdrawn }) => !isWithdrawn)
  const most = Math.max(1, ...rows.map(({ votos }) => votos))
  return rows.filter(({ votos }) => votos === most)
}

/** Returns the Spanish name of a flag's origin. */
export function flagTargetName({ clase, origen }: { clase: FlagKind; origen: string }): string {
  const [network = '', host = ''] = origen.split(' ')
  const names: Record<FlagKind, string> = {
    dominio: `correos de ${origen}`,
    receptor: `correos que recibe el servidor ${origen}`,
    alojamiento: `correos de dominios propios en ${host} desde la red ${network.slice(0, 6)}`,
    desechable: 'correos desechables',
    servicio: 'correos de servicios de alias',
    'rafaga-red': `ráfaga desde la red ${origen.slice(0, 6)}`,
    'rafaga-bloque': `ráfaga desde el bloque ${origen.slice(0, 6)}`,
    'antes-red': `red ${origen.slice(0, 6)}, marcada al votar`,
    'antes-dominio': `correos de ${origen}, marcados al votar`,
  }
  return names[clase]
}
