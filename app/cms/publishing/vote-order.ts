/**
 * The places in the vote's order of the candidates who take part: those of the withdrawn are left out.
 * @param cuantas who take part
 */
export function lugaresDe(cuantas: number, retiradas: readonly { lugar: number }[]): number[] {
  const empty = new Set(retiradas.map(({ lugar }) => lugar))
  const places: number[] = []
  for (let place = 0; places.length < cuantas; place++) if (!empty.has(place)) places.push(place)
  return places
}
