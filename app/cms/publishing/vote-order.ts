/**
 * The places in the vote's order of the candidates who take part: those of the withdrawn are left out.
 * @param howMany who take part
 */
export function placesInVoteOrder(howMany: number, withdrawn: readonly { lugar: number }[]): number[] {
  const empty = new Set(withdrawn.map(({ lugar }) => lugar))
  const places: number[] = []
  for (let place = 0; places.length < howMany; place++) if (!empty.has(place)) places.push(place)
  return places
}
