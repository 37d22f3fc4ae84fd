import { MINUTE_MS } from '#app/core/time/durations.ts'

/**
 * Returns whether the vote has not closed yet, even if it has not opened either. @source §4
 * @param closing last moment at which a vote counts; an ISO date with zone
 * @param now the server's clock
 */
export const isBeforeClosing = (closing: string, now: Date) => now.getTime() <= Date.parse(closing)

/**
 * Returns whether the vote has not opened yet. At the moment of the opening it is open.
 * @param opening an ISO date with zone; undefined if the vote opens with the candidates' publication
 */
export const isBeforeOpening = (opening: string | undefined, now: Date) =>
  opening !== undefined && now.getTime() < Date.parse(opening)

/** Returns whether a moment is between the opening and the closing of the vote. */
export const isVoteOpenAt = ({ abre, cierre }: { abre?: string | undefined; cierre: string }, now: Date) =>
  !isBeforeOpening(abre, now) && isBeforeClosing(cierre, now)

/**
 * Reads the candidate's place from the parameter `vote` of a query.
 * @returns undefined if the query has no `vote`; 'invalid' if it has several, or one that is no place
 */
export function readVote(query: URLSearchParams, placeTotal: number): number | 'invalid' | undefined {
  const voteParams = query.getAll('vote')
  if (voteParams.length === 0) return undefined
  const [voteParam = ''] = voteParams
  return voteParams.length === 1 && /^(0|[1-9]\d?)$/.test(voteParam) && Number(voteParam) < placeTotal
    ? Number(voteParam)
    : 'invalid'
}

/** Places in the vote's order, from 0, of present (`taken`) and of withdrawn candidates. */
export interface VotePlaces {
  taken: readonly number[]
  withdrawn: readonly number[]
}

/** Returns the number of places in the vote's order, including empty places. */
export const placeCount = ({ taken, withdrawn }: VotePlaces): number => Math.max(-1, ...taken, ...withdrawn) + 1

/**
 * Reads the candidate's place like `readVote`, and checks that a candidate has it.
 * @returns 'withdrawn' if the candidate at the place has been withdrawn; 'invalid' also if no candidate ever had the place;
 * otherwise the same as `readVote`
 */
export function readPlace(query: URLSearchParams, places: VotePlaces): number | 'invalid' | 'withdrawn' | undefined {
  const votePlace = readVote(query, placeCount(places))
  if (typeof votePlace !== 'number' || places.taken.includes(votePlace)) return votePlace
  return places.withdrawn.includes(votePlace) ? 'withdrawn' : 'invalid'
}

/** Query parameter of the URL to which a failed sign-in with Google returns. */
export const GOOGLE_FAILURE_PARAM = 'error'

/** Returns the time until a moment (§4), rounded down to minutes; all numbers are 0 once the moment has passed. */
export function timeLeft(until: string, now: Date) {
  const remainingMs = Date.parse(until) - now.getTime()
  const minutes = Math.max(0, Math.floor(remainingMs / MINUTE_MS))
  return {
    days: Math.floor(minutes / 1_440),
    hours: Math.floor(minutes / 60) % 24,
    minutes: minutes % 60,
    hasPassed: remainingMs < 0,
  }
}

/**
 * Lists the steps that visit each candidate once on a walk around the circle of candidates: the steps that are coprime to the
 * number of candidates.
 */
const stepWidthsOf = (candidateCount: number): number[] =>
  Array.from({ length: candidateCount - 1 }, (_, index) => index + 1).filter(
    (step) => greatestCommonDivisor(step, candidateCount) === 1,
  )

/** Returns the number of orders of the candidates: n × (n − 1) for a prime n, fewer for another n, and 1 for n ≤ 1. */
export const orderCount = (candidateCount: number): number =>
  Math.max(1, candidateCount * stepWidthsOf(candidateCount).length)

/**
 * Returns the order in which one visitor sees the candidates. Over all orders, each candidate has each place equally often. If
 * their number is prime, each candidate is also next to each other candidate equally often.
 * @param draw a random integer ≥ 0
 */
export function orderOf(draw: number, candidateCount: number): number[] {
  const steps = stepWidthsOf(candidateCount)
  const step = steps[Math.floor(draw / candidateCount) % steps.length] ?? 1
  return Array.from({ length: candidateCount }, (_, place) => (draw + step * place) % candidateCount)
}
const greatestCommonDivisor = (a: number, b: number): number => (b === 0 ? a : greatestCommonDivisor(b, a % b))

/** Bursts are votes of one origin within one span of this length. */
export const SPAN_MS = 10 * MINUTE_MS
export const spanOf = (moment: Date) => new Date(Math.floor(moment.getTime() / SPAN_MS) * SPAN_MS)

/** Difficulty for an origin that has just exceeded its usual number of votes. */
const MIN_DIFFICULTY = 64
/** At this difficulty a vote takes up to 4,096 hash computations (proof-of-work.server.ts): some seconds on a cheap phone. */
const MAX_DIFFICULTY = 2_048

/**
 * Returns the difficulty of a vote's proof of work. It doubles whenever the excess doubles, so that a rush is slowed down, and
 * has a maximum, so that no voter is shut out.
 * @param excess the origin's votes as a multiple of the usual number
 * @returns minimum number of hash computations (proof-of-work.server.ts)
 */
export const difficultyFor = (excess: number) =>
  Math.min(MAX_DIFFICULTY, MIN_DIFFICULTY * 2 ** Math.floor(Math.log2(Math.max(1, excess))))
/** Minimum difficulty of the proof of work for a vote from a disposable address. */
export const MIN_DISPOSABLE_DIFFICULTY = 512

/** Number of bulbs on each ring of the wheel, from the rim inwards: 420 in total. */
export const BULBS_PER_RING = [96, 84, 72, 60, 48, 36, 24] as const
const BULB_COUNT = BULBS_PER_RING.reduce<number>((sum, count) => sum + count, 0)

/**
 * Distributes votes over the wheel's bulbs, one vote per bulb, from the rim inwards. Once all bulbs are lit, further votes make
 * them brighter in another round from the rim.
 * @returns whether all bulbs are lit, and how many bulbs of each ring the present round has reached
 */
export function litBulbsOf(votes: number): { isFull: boolean; litBulbs: number[] } {
  let remainingVotes = votes % BULB_COUNT
  const litBulbs = BULBS_PER_RING.map((bulbs) => {
    const litCount = Math.min(bulbs, remainingVotes)
    remainingVotes -= litCount
    return litCount
  })
  return { isFull: votes >= BULB_COUNT, litBulbs }
}
