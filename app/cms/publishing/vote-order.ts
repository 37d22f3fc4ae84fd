/**
 * Returns the places of the remaining candidates in the vote's order, from 0; places of withdrawn candidates are skipped.
 * @param howMany number of remaining candidates
 */
export function placesInVoteOrder(howMany: number, withdrawn: readonly { lugar: number }[]): number[] {
  const withdrawnPlaces = new Set(withdrawn.map(({ lugar }) => lugar))
  const places: number[] = []
  for (let place = 0; places.length < howMany; place++) if (!withdrawnPlaces.has(place)) places.push(place)
  return places
}
