import { randomUUID } from 'node:crypto'
import { solveWork } from '#app/core/http/proof-of-work.client.ts'
import type { Services } from '#app/core/http/services.server.ts'
import type { Voting } from '#app/voting/ballot/mutations.server.ts'
import type { Election } from '#app/voting/election/data.server.ts'
import type { OriginRules } from '#app/voting/election/origin-rules.ts'
import { sealVotes } from '#app/voting/sealing/sealing.server.ts'

/** Tables of a vote, as a list for `truncate`. */
export const VOTE_TABLES =
  'banda_digital_votes, lotes, cajas, votos_por_hora, votos_por_origen, origenes, receptores, marcas, votos_marcados, anulaciones, votos_anulados, actas, recuentos'

export const ACTOR = { quien: 'organiza', desde: 'prueba' }
export const OPEN = new Date('2025-09-20T12:20:00-06:00')
export const CLOSED = new Date('2025-09-26T00:05:00-06:00')

/** Rules like the sample edition's, but with a higher threshold for domains, and with fewer providers. */
export const RULES: OriginRules = {
  dominio: 40,
  servicio: 4,
  unoDeCada: 750,
  rafagaPorRed: 300,
  rafagaPorBloque: 3_000,
  trabajoPorRed: 5_000,
  trabajoPorDominio: 100,
  proveedores: ['gmail.com', 'correo.mx', 'proton.me', 'protonmail.com', 'pm.me'],
}

export const ELECTION: Election = {
  edicion: 2025,
  cierre: '2025-09-25T23:59:00-06:00',
  reglas: RULES,
  candidatas: [
    { id: 'valeria-bugambilia-olmos', nombre: 'Valeria Bugambilia Olmos' },
    { id: 'renata-cempasuchil-nava', nombre: 'Renata Cempasúchil Nava' },
    { id: 'ximena-agave-montano', nombre: 'Ximena Agave Montaño' },
    { id: 'fernanda-jacaranda-luna', nombre: 'Fernanda Jacaranda Luna' },
    { id: 'paola-colorin-vega', nombre: 'Paola Colorín Vega' },
  ],
}

let voterCount = 0
/** Makes a voter who has not voted yet, in a network without other voters. */
export const voter = (
  email = `votante${++voterCount}@gmail.com`,
  client = `10.${voterCount >> 8}.${voterCount & 255}.1`,
) => ({
  userId: `cuenta-${email}`,
  email,
  client,
})

export const vote = (voting: Voting, place: number, castingVoter = voter(), attempt: string = randomUUID()) =>
  voting.cast(ELECTION, castingVoter, { vote: place, idempotencyKey: attempt })

/** Casts a vote and solves a proof-of-work challenge if the site asks for one, as a voter's browser does. */
export async function castVoteWithWork(voting: Voting, place: number, castingVoter = voter()) {
  const ballotPaper = { vote: place, idempotencyKey: randomUUID() }
  const outcome = await voting.cast(ELECTION, castingVoter, ballotPaper)
  if (outcome.ok || !outcome.reto) return outcome
  const proof = { reto: JSON.stringify(outcome.reto), respuesta: (await solveWork(outcome.reto))! }
  return voting.cast(ELECTION, castingVoter, { ...ballotPaper, proof })
}

/** Casts votes concurrently. @param counts number of votes for each candidate, in their order */
export const castVotes = (voting: Voting, ...counts: number[]) =>
  Promise.all(counts.flatMap((count, place) => Array.from({ length: count }, () => vote(voting, place))))

/** Returns the election after names of candidates were corrected. @param names new names by id */
export const withNewNames = (names: Record<string, string>): Election => ({
  ...ELECTION,
  candidatas: ELECTION.candidatas.map(({ id, nombre }) => ({ id, nombre: names[id] ?? nombre })),
})

export const sealAll = (services: Services) => sealVotes(services, ELECTION)
