/**
 * Whether the vote is still open.
 * @param cierre last moment of the vote, an ISO date with zone; it still counts
 * @param ahora the server's clock
 * @source specification §4: the deadline is 23:59 of its day
 */
export const isVotacionAbierta = (cierre: string, ahora: Date) => ahora.getTime() <= Date.parse(cierre)
