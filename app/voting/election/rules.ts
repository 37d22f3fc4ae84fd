/**
 * Returns whether the vote has not closed yet, which includes a vote that has not begun. Section §4 sets the deadline.
 * @param closing last moment of the vote, which still counts; an ISO date with zone
 * @param now the server's clock
 */
export const isBeforeClosing = (closing: string, now: Date) => now.getTime() <= Date.parse(closing)

/**
 * Reads the candidate's place from a query: counted from 0, digits alone, named once (D24, D32).
 * @param candidateCount number of candidates
 * @returns undefined: the query has no `vote`; 'invalid': it names no existing candidate, or more than one
 */
export function readVote(query: URLSearchParams, candidateCount: number): number | 'invalid' | undefined {
  const voteParams = query.getAll('vote')
  if (voteParams.length === 0) return undefined
  const [first = ''] = voteParams
  return voteParams.length === 1 && /^(0|[1-9]\d?)$/.test(first) && Number(first) < candidateCount
    ? Number(first)
    : 'invalid'
}

/** `Places` are positions in the vote's order, from 0, of present and of withdrawn candidates. */
export interface Places {
  taken: readonly number[]
  withdrawn: readonly number[]
}

/** Returns how many places the vote's order has, empty ones included. */
export const placeCount = ({ taken, withdrawn }: Places): number => Math.max(-1, ...taken, ...withdrawn) + 1

/**
 * Reads the place as `readVote` does, where some places may be empty.
 * @returns 'withdrawn': the candidate at that place has been withdrawn; undefined and 'invalid' as for `readVote`
 */
export function readPlace(query: URLSearchParams, places: Places): number | 'invalid' | 'withdrawn' | undefined {
  const vote = readVote(query, placeCount(places))
  if (typeof vote !== 'number' || places.taken.includes(vote)) return vote
  return places.withdrawn.includes(vote) ? 'withdrawn' : 'invalid'
}

/** The redirect back from Google carries this query parameter when the sign-in failed. */
export const NO_GOOGLE_PARAM = 'error'

const MINUTE_MS = 60_000

/** Returns the time left until the vote closes (§4), in whole minutes; all parts are 0 once the vote is over. */
export function timeLeft(closing: string, now: Date) {
  const left = Date.parse(closing) - now.getTime()
  const minutes = Math.max(0, Math.floor(left / MINUTE_MS))
  return {
    days: Math.floor(minutes / 1_440),
    hours: Math.floor(minutes / 60) % 24,
    minutes: minutes % 60,
    hasPassed: left < 0,
  }
}

/**
 * Lists the step widths around the circle of candidates that visit each candidate once: those coprime to the number of
 * candidates.
 */
const stepsOf = (candidateCount: number): number[] =>
  Array.from({ length: candidateCount - 1 }, (_, at) => at + 1).filter((step) => divisor(step, candidateCount) === 1)

/** Returns the number of orders of the candidates: n × (n − 1) for a prime n, fewer for another n, and 1 for n ≤ 1. */
export const orderCount = (candidateCount: number): number =>
  Math.max(1, candidateCount * stepsOf(candidateCount).length)

/**
 * Returns the order in which one visitor sees the candidates. Over all orders each candidate stands in each place equally often;
 * for a prime number of candidates, each also stands equally often beside each other candidate.
 * @param draw a random integer ≥ 0
 */
export function orderOf(draw: number, candidateCount: number): number[] {
  const steps = stepsOf(candidateCount)
  const step = steps[Math.floor(draw / candidateCount) % steps.length] ?? 1
  return Array.from({ length: candidateCount }, (_, place) => (draw + step * place) % candidateCount)
}
const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b))

/** Origins are counted in spans of ten minutes. */
export const SPAN_MS = 10 * MINUTE_MS
export const spanOf = (moment: Date) => new Date(Math.floor(moment.getTime() / SPAN_MS) * SPAN_MS)

const MIN_WORK = 64
/** No vote takes more than this many tries, which take a cheap phone some seconds. */
const MAX_WORK = 2_048

/**
 * Returns the work that a vote takes. The work doubles with the excess, so that a rush is slowed and no voter is shut out.
 * @param excess the origin's votes as a multiple of the usual number; 1 is the limit
 * @returns minimum number of tries (proof-of-work.server.ts)
 */
export const workFor = (excess: number) =>
  Math.min(MAX_WORK, MIN_WORK * 2 ** Math.floor(Math.log2(Math.max(1, excess))))
/** A vote from a disposable address takes at least this many tries. */
export const DISPOSABLE_WORK = 512

/** Each ring of the wheel has this many bulbs, from the rim inwards: 420 in total. */
export const BULBS_PER_RING = [96, 84, 72, 60, 48, 36, 24] as const
const BULBS = BULBS_PER_RING.reduce<number>((sum, one) => sum + one, 0)

/**
 * Distributes votes over the wheel's bulbs, one vote per bulb, the rim first. After the last bulb the wheel stays lit, and a
 * brighter round begins.
 * @returns whether all bulbs have been lit, and the number of bright bulbs on each ring in the present round
 */
export function litBulbsOf(votes: number): { isFull: boolean; litBulbs: number[] } {
  let left = votes % BULBS
  const litBulbs = BULBS_PER_RING.map((bulbs) => {
    const lit = Math.min(bulbs, left)
    left -= lit
    return lit
  })
  return { isFull: votes >= BULBS, litBulbs }
}
