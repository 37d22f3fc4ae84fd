import { randomUUID } from 'node:crypto'
import type { Services } from '#app/platform/services.server.ts'
import type { Eleccion } from '#app/popularidad/data.server.ts'
import { castVote } from '#app/popularidad/mutations.server.ts'

export const AUTOR = { quien: 'organiza', desde: 'prueba' }
export const OPEN = new Date('2025-09-20T12:20:00-06:00')
export const CLOSED = new Date('2025-09-26T00:05:00-06:00')

export const ELECCION: Eleccion = {
  edicion: 2025,
  cierre: '2025-09-25T23:59:00-06:00',
  candidatas: [
    'Valeria Bugambilia Olmos',
    'Renata Cempasúchil Nava',
    'Ximena Agave Montaño',
    'Fernanda Jacaranda Luna',
    'Paola Colorín Vega',
  ],
}

let people = 0
/** Somebody who has not voted yet, behind a network of their own. */
export const votante = (correo = `votante${++people}@gmail.com`, client = `10.${people >> 8}.${people & 255}.1`) => ({
  userId: `cuenta-${correo}`,
  correo,
  client,
})

export const vote = (services: Services, place: number, who = votante(), intento: string = randomUUID()) =>
  castVote(services, ELECCION, who, { vote: place, intento })

/** Casts so many votes at once for each candidate, in their order. */
export const cast = (services: Services, ...counts: number[]) =>
  Promise.all(counts.flatMap((count, place) => Array.from({ length: count }, () => vote(services, place))))
