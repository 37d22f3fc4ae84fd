import { createHash } from 'node:crypto'
import type { Role } from '#app/accounts/schema.ts'
import { placesInVoteOrder } from '#app/cms/publishing/places-in-vote-order.ts'
import { listCandidatePlaces } from '#app/cms/publishing/rules.ts'
import { noteRefusal } from '#app/core/http/refusal-events.server.ts'
import type { RequestFacts } from '#app/core/http/services.server.ts'
import { candidateAt, loadElection } from '#app/voting/election/data.server.ts'
import {
  isBeforeOpening,
  isVoteOpenAt,
  orderCount,
  type Places,
  placeCount,
  readPlace,
  readVote,
} from '#app/voting/election/rules.ts'
import type { Voting } from './mutations.server.ts'
import { VOTE_HTTP_STATUS, type VoteAnswer } from './schema.ts'

/** The fields of a session that a vote needs. */
type Session = { userId: string; email: string; role: Role | null } | undefined

/** Casts the vote of a submitted form for the signed-in person. */
export async function castFormVote(
  voting: Voting,
  { client }: Pick<RequestFacts, 'client'>,
  session: Session,
  form: FormData | URLSearchParams,
): Promise<VoteAnswer> {
  // Judges' accounts last one evening and have no mailbox, so they cannot vote.
  if (!session || session.role === 'jurado') return { ok: false, reason: 'sesion' }
  const election = await loadElection()
  const voteParams = form.getAll('vote').map((place) => ['vote', String(place).slice(0, 20)])
  const [challenge, solution, shownId] = [form.get('reto'), form.get('respuesta'), form.get('candidata')]
  const vote = readVote(new URLSearchParams(voteParams), placeCount(placesOfVote(election)))
  const candidate = typeof vote === 'number' ? candidateAt(election, vote) : undefined
  // The page sends the id of the candidate that it shows, since another candidate may stand at this place by now.
  if (candidate && typeof shownId === 'string' && shownId !== candidate.id) return { ok: false, reason: 'cambio' }
  return voting.cast(
    election,
    { userId: session.userId, email: session.email, client },
    {
      vote,
      idempotencyKey: form.get('intento'),
      proof:
        typeof challenge === 'string' && typeof solution === 'string'
          ? { reto: challenge, respuesta: solution }
          : undefined,
    },
  )
}

const MAX_VOTE_BYTES = 2_000
const JSON_PRIVATE = { 'content-type': 'application/json', 'cache-control': 'private, no-store' }

/**
 * Answers POST /misspopularidad/voto, as the page's script sends it: `vote`, `candidata` (id of the candidate shown), `intento`,
 * and `reto` with `respuesta` after a challenge. A request without a content length is refused as too long.
 * @param getSession called only for a request that can be a vote
 * @returns VoteAnswer as JSON, with the status of its reason in VOTE_HTTP_STATUS
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
  // The body is a string instead of `Response.json`, since the server sends strings without a stream in between.
  return new Response(JSON.stringify(answer), {
    status: answer.ok ? 200 : VOTE_HTTP_STATUS[answer.reason],
    headers: JSON_PRIVATE,
  })
}

/**
 * Request header with the candidates' order that server/vote-page.ts drew for this answer. The order is drawn anew each time,
 * since the privacy notice promises that the device does not store it.
 */
export const ORDER_HEADER = 'x-orden'

interface ElectionCandidates {
  candidatas: readonly unknown[]
  retiradas?: readonly { lugar: number }[] | undefined
}

/** Returns the places that present and withdrawn candidates have in the vote's order. */
export const placesOfVote = ({ candidatas, retiradas = [] }: ElectionCandidates): Places => ({
  taken: placesInVoteOrder(candidatas.length, retiradas),
  withdrawn: retiradas.map(({ lugar }) => lugar),
})

/**
 * Reads a shared link, which names its candidate by id beside her place: the candidate may stand at another place by now, or
 * may have been in an earlier edition.
 * @returns the path that means what the link meant; undefined if the link needs no other path
 */
export function pathOfNamedCandidate(query: URLSearchParams, edition: Parameters<typeof listCandidatePlaces>[0]) {
  const id = query.get('candidata')
  const found = listCandidatePlaces(edition).find((one) => one.id === id)
  if (id === null || String(found?.lugar) === query.get('vote')) return undefined
  return found ? `/misspopularidad?vote=${found.lugar}&candidata=${found.id}` : '/misspopularidad?vote='
}

/** Returns what the contest's page depends on besides the session. */
export function visitOf(
  request: Request,
  { client }: Pick<RequestFacts, 'client'>,
  edition: ElectionCandidates & { fechas: { aperturaVotacion?: string | undefined; cierreVotacion: string } },
  now: Date,
) {
  const { fechas, candidatas } = edition
  const candidateCount = candidatas.length
  const drawnOrder = request.headers.get(ORDER_HEADER)
  const visitor = createHash('sha256')
    .update(`${client} ${request.headers.get('user-agent')}`)
    .digest()
  return {
    /** False also while no candidate is announced. */
    isVoteOpen:
      candidateCount > 0 && isVoteOpenAt({ abre: fechas.aperturaVotacion, cierre: fechas.cierreVotacion }, now),
    isOpeningAhead: candidateCount > 0 && isBeforeOpening(fechas.aperturaVotacion, now),
    vote: readPlace(new URL(request.url).searchParams, placesOfVote(edition)),
    isCrossSite: isFromOtherSite(request),
    /** Number of the candidates' order: the drawn order, otherwise an order derived from network and browser. */
    order:
      (drawnOrder !== null && /^\d{1,4}$/.test(drawnOrder) ? Number(drawnOrder) : visitor.readUInt32BE(0)) %
      orderCount(candidateCount),
  }
}

/** Returns whether the visitor followed a link on another site. */
function isFromOtherSite({ url, headers }: Request): boolean {
  const site = headers.get('sec-fetch-site')
  if (site !== null) return site === 'cross-site'
  // Some browsers, and all of them without TLS, send no Sec-Fetch-Site, but may still send a Referer.
  const from = URL.parse(headers.get('referer') ?? '')
  return from !== null && from.origin !== new URL(url).origin && from.host !== headers.get('host')
}
