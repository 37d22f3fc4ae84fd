/**
 * Returns the places of the remaining candidates in the vote's order, from 0, without the places of withdrawn candidates.
 * @param candidateCount number of remaining candidates
 */
export function placesInVoteOrder(candidateCount: number, withdrawn: readonly { lugar: number }[]): number[] {
  const withdrawnPlaces = new Set(withdrawn.map(({ lugar }) => lugar))
  const places: number[] = []
  for (let place = 0; places.length < candidateCount; place++) if (!withdrawnPlaces.has(place)) places.push(place)
  return places
}
