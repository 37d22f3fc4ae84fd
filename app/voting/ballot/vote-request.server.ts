import { createHash } from 'node:crypto'
import type { Role } from '#app/accounts/schema.ts'
import { placesInVoteOrder } from '#app/cms/publishing/places-in-vote-order.ts'
import { listCandidatePlaces } from '#app/cms/publishing/rules.ts'
import { PRIVATE_HEADERS } from '#app/core/http/private-headers.ts'
import { readWork } from '#app/core/http/proof-of-work.ts'
import { noteRefusal } from '#app/core/http/refusal-events.server.ts'
import type { RequestFacts } from '#app/core/http/services.server.ts'
import { candidateAt, loadElection } from '#app/voting/election/data.server.ts'
import {
  isBeforeOpening,
  isVoteOpenAt,
  orderCount,
  placeCount,
  readPlace,
  readVote,
  type VotePlaces,
} from '#app/voting/election/rules.ts'
import type { Voting } from './mutations.server.ts'
import { VOTE_HTTP_STATUS, type VoteAnswer } from './schema.ts'

/** The parts of a session that a vote needs. */
type Session = { userId: string; email: string; role: Role | null } | undefined

/**
 * Casts the vote of a submitted form. Besides the refusals of `Voting.cast`, refuses the vote if no voter is signed in, or if
 * another candidate than the shown one now stands at the place.
 */
export async function castFormVote(
  voting: Voting,
  { client }: Pick<RequestFacts, 'client'>,
  session: Session,
  form: FormData | URLSearchParams,
): Promise<VoteAnswer> {
  // Judges' accounts last one evening and have no mailbox, so they cannot vote.
  if (!session || session.role === 'jurado') return { ok: false, reason: 'sesion' }
  const election = await loadElection()
  // A place has two digits at most, so the rest of a longer text is not needed to refuse it.
  const voteParams = form.getAll('vote').map((place) => ['vote', String(place).slice(0, 20)])
  const shownCandidateId = form.get('candidata')
  const votePlace = readVote(new URLSearchParams(voteParams), placeCount(placesOfVote(election)))
  const candidate = typeof votePlace === 'number' ? candidateAt(election, votePlace) : undefined
  if (candidate && typeof shownCandidateId === 'string' && shownCandidateId !== candidate.id)
    return { ok: false, reason: 'cambio' }
  return voting.cast(
    election,
    { userId: session.userId, email: session.email, client },
    {
      vote: votePlace,
      idempotencyKey: form.get('intento'),
      proof: readWork(form),
    },
  )
}

/** A vote with the solution of a challenge is shorter. */
const MAX_VOTE_BYTES = 2_000
const PRIVATE_JSON_HEADERS = { ...PRIVATE_HEADERS, 'content-type': 'application/json' }

/**
 * Answers POST /misspopularidad/voto, as the page's script sends it: `vote`, `candidata` (id of the candidate shown), `intento`,
 * and `reto` with `respuesta` after a challenge. A request without a content length is refused as too long.
 * @param getSession called only for requests of an acceptable length
 * @returns VoteAnswer as JSON, with the status 200 or that of its reason in VOTE_HTTP_STATUS; a text with 413 for a longer request
 */
export async function answerVote(
  request: Request,
  {
    voting,
    getSession,
    client,
  }: { voting: Voting; getSession: (request: Request) => Promise<Session>; client: string },
): Promise<Response> {
  if (!(Number(request.headers.get('content-length') ?? Number.NaN) <= MAX_VOTE_BYTES))
    return new Response('Este envío es demasiado largo.', { status: 413 })
  const form = new URLSearchParams(await request.text())
  const answer = await castFormVote(voting, { client }, await getSession(request), form)
  if (!answer.ok) noteRefusal({ area: 'voto', reason: answer.reason })
  // @hono/node-server sends a string body without a stream in between, unlike the body of `Response.json`.
  return new Response(JSON.stringify(answer), {
    status: answer.ok ? 200 : VOTE_HTTP_STATUS[answer.reason],
    headers: PRIVATE_JSON_HEADERS,
  })
}

/**
 * Request header with the number of the candidates' order. server/vote-page.ts draws the number for each request, or derives it
 * from a signed-in visitor's account. The order is not stored on the device, as the privacy notice promises.
 */
export const ORDER_HEADER = 'x-orden'

interface ElectionCandidates {
  candidatas: readonly unknown[]
  retiradas?: readonly { lugar: number }[] | undefined
}

/** Returns the places of present and withdrawn candidates in the vote's order. */
export const placesOfVote = ({ candidatas, retiradas = [] }: ElectionCandidates): VotePlaces => ({
  taken: placesInVoteOrder(candidatas.length, retiradas),
  withdrawn: retiradas.map(({ lugar }) => lugar),
})

/**
 * Corrects a shared link, which names its candidate by id and by place. Since the link was shared, the candidate may have got
 * another place, or the edition may have ended.
 * @returns the path to redirect to, with an empty place for an id that no candidate has; undefined if the link names no id or its
 * place is right
 */
export function pathOfNamedCandidate(query: URLSearchParams, edition: Parameters<typeof listCandidatePlaces>[0]) {
  const id = query.get('candidata')
  const namedCandidate = listCandidatePlaces(edition).find((place) => place.id === id)
  if (id === null || String(namedCandidate?.lugar) === query.get('vote')) return undefined
  return namedCandidate
    ? `/misspopularidad?vote=${namedCandidate.lugar}&candidata=${namedCandidate.id}`
    : '/misspopularidad?vote='
}

/** Returns the facts of a request on which the contest's page depends, besides the session. */
export function contestFactsOf(
  request: Request,
  { client }: Pick<RequestFacts, 'client'>,
  edition: ElectionCandidates & { fechas: { aperturaVotacion?: string | undefined; cierreVotacion: string } },
  now: Date,
) {
  const { fechas, candidatas } = edition
  const candidateCount = candidatas.length
  const drawnOrder = request.headers.get(ORDER_HEADER)
  const visitorHash = createHash('sha256')
    .update(`${client} ${request.headers.get('user-agent')}`)
    .digest()
  return {
    /** Whether the vote is open; it is not while no candidate is announced. */
    isVoteOpen:
      candidateCount > 0 && isVoteOpenAt({ abre: fechas.aperturaVotacion, cierre: fechas.cierreVotacion }, now),
    isOpeningAhead: candidateCount > 0 && isBeforeOpening(fechas.aperturaVotacion, now),
    votePlace: readPlace(new URL(request.url).searchParams, placesOfVote(edition)),
    isCrossSite: comesFromOtherSite(request),
    /** Number of the candidates' order: that of ORDER_HEADER or, without a valid one, derived from network and browser. */
    order:
      (drawnOrder !== null && /^\d{1,4}$/.test(drawnOrder) ? Number(drawnOrder) : visitorHash.readUInt32BE(0)) %
      orderCount(candidateCount),
  }
}

function comesFromOtherSite({ url, headers }: Request): boolean {
  const fetchSite = headers.get('sec-fetch-site')
  if (fetchSite !== null) return fetchSite === 'cross-site'
  // Old browsers, and all browsers without TLS, send no Sec-Fetch-Site, but may send a Referer.
  const referrer = URL.parse(headers.get('referer') ?? '')
  return referrer !== null && referrer.origin !== new URL(url).origin && referrer.host !== headers.get('host')
}
