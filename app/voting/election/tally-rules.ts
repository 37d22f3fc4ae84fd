import type { FlagKind } from '#app/core/db/tables.ts'

/** Returns a share of all votes in percent, as «12.3», or «0.0» without votes (§9). */
export const percentage = (votes: number, total: number): string =>
  // Integers round half a tenth up exactly: votes × 2000 is far below 2^53.
  (total === 0 ? 0 : Math.floor((votes * 2_000 + total) / (2 * total)) / 10).toFixed(1)

export const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** The closing record is sealed at the earliest this long after the closing, so that the last votes have arrived. */
const SEALING_DELAY_MS = 60_000

export const maySeal = (closing: string, now: Date) => now.getTime() > Date.parse(closing) + SEALING_DELAY_MS

/** Returns the candidates with most votes among those who have not withdrawn: several at a tie, none without votes. */
export function leadersOf<Candidate extends { votos: number; isWithdrawn?: boolean }>(
  candidates: readonly Candidate[],
): Candidate[] {
  const eligibleCandidates = candidates.filter(({ isWithdrawn }) => !isWithdrawn)
  const mostVotes = Math.max(1, ...eligibleCandidates.map(({ votos }) => votos))
  return eligibleCandidates.filter(({ votos }) => votos === mostVotes)
}

export function flagTargetName({ clase, origen }: { clase: FlagKind; origen: string }): string {
  const [network = '', mailServer = ''] = origen.split(' ')
  const nameByKind: Record<FlagKind, string> = {
    dominio: `correos de ${origen}`,
    receptor: `correos que recibe el servidor ${origen}`,
    alojamiento: `correos de dominios propios en ${mailServer} desde la red ${network.slice(0, 6)}`,
    desechable: 'correos desechables',
    servicio: 'correos de servicios de alias',
    'rafaga-red': `ráfaga desde la red ${origen.slice(0, 6)}`,
    'rafaga-bloque': `ráfaga desde el bloque ${origen.slice(0, 6)}`,
    'antes-red': `red ${origen.slice(0, 6)}, marcada al votar`,
    'antes-dominio': `correos de ${origen}, marcados al votar`,
  }
  return nameByKind[clase]
}
