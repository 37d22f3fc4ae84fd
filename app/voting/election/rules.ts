/**
 * Whether the vote has not closed yet; it says nothing of whether it has begun.
 * @param closing last moment of the vote, an ISO date with zone; it still counts
 * @param now the server's clock
 * @source §4: the deadline is 23:59 of its day
 */
export const isNotClosed = (closing: string, now: Date) => now.getTime() <= Date.parse(closing)

/**
 * The candidate that a query names: her place in the vote's order.
 * @param howMany how many candidates there are
 * @returns undefined: it names none (no `vote`); 'invalido': one that does not exist, or more than one
 * @source D24, D32: counted from 0, digits alone, named once
 */
export function readVote(query: URLSearchParams, howMany: number): number | 'invalido' | undefined {
  const given = query.getAll('vote')
  if (given.length === 0) return undefined
  const [first = ''] = given
  return given.length === 1 && /^(0|[1-9]\d?)$/.test(first) && Number(first) < howMany ? Number(first) : 'invalido'
}

/** Places of the vote's order: of those who take part, and of those who do not any more. */
export interface Places {
  lugares: readonly number[]
  retirados: readonly number[]
}

/** How many places the vote's order has, empty ones included. */
export const placeCount = ({ lugares, retirados }: Places): number => Math.max(-1, ...lugares, ...retirados) + 1

/**
 * Like `readVote`, where some places may be empty.
 * @returns 'retirada': the candidate at that place has been withdrawn
 */
export function readPlace(query: URLSearchParams, where: Places): number | 'invalido' | 'retirada' | undefined {
  const vote = readVote(query, placeCount(where))
  if (typeof vote !== 'number' || where.lugares.includes(vote)) return vote
  return where.retirados.includes(vote) ? 'retirada' : 'invalido'
}

/** The query's name by which the way back from Google says that nobody was let in. */
export const NO_GOOGLE_PARAM = 'error'

const MINUTE_MS = 60_000

/** The time left until the vote closes; `vencida` once it is over. @source §4 */
export function missing(closing: string, now: Date) {
  const left = Date.parse(closing) - now.getTime()
  const minutes = Math.max(0, Math.floor(left / MINUTE_MS))
  return {
    dias: Math.floor(minutes / 1_440),
    horas: Math.floor(minutes / 60) % 24,
    minutos: minutes % 60,
    vencida: left < 0,
  }
}

/** Steps around the circle of all candidates that pass each of them once. */
const stepsOf = (howMany: number): number[] =>
  Array.from({ length: howMany - 1 }, (_, at) => at + 1).filter((step) => divisor(step, howMany) === 1)

/** How many orders of the candidates there are: n × (n − 1) for a prime number of them, fewer for another. */
export const orderCount = (howMany: number): number => Math.max(1, howMany * stepsOf(howMany).length)

/**
 * The order in which one visitor sees the candidates. Over all orders each candidate stands in each place equally
 * often; for a prime number of candidates, also beside each other one.
 * @param deliveryStatus a random number, integer ≥ 0
 */
export function orderOf(draw: number, howMany: number): number[] {
  const steps = stepsOf(howMany)
  const step = steps[Math.floor(draw / howMany) % steps.length] ?? 1
  return Array.from({ length: howMany }, (_, place) => (draw + step * place) % howMany)
}
const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b))

/** The spans in which origins are counted: ten minutes. */
export const SPAN_MS = 10 * MINUTE_MS
export const spanOf = (moment: Date) => new Date(Math.floor(moment.getTime() / SPAN_MS) * SPAN_MS)

const MIN_WORK = 64
/** A cheap phone works some seconds on it. */
const MAX_WORK = 2_048

/**
 * How much work a vote takes: double for double the excess, so that a rush is slowed and no voter shut out.
 * @param excess votes of the origin in relation to what is usual; 1 is the limit
 * @returns tries that it takes at least (challenge.server.ts)
 */
export const workFor = (excess: number) =>
  Math.min(MAX_WORK, MIN_WORK * 2 ** Math.floor(Math.log2(Math.max(1, excess))))
/** How much work a vote takes from a throw-away address. */
export const DISPOSABLE_WORK = 512

/** How many bulbs each ring of the wheel has, from the rim inwards: 420 in all. */
export const BULBS_PER_RING = [96, 84, 72, 60, 48, 36, 24] as const
const BULBS = BULBS_PER_RING.reduce<number>((sum, one) => sum + one, 0)

/**
 * Which bulbs so many votes light, one each, the rim's first. Beyond the last one the wheel stays lit, and they are lit
 * once more, brighter.
 * @returns `llena`: whether all have been lit; `focos`: how many bright ones each ring has
 */
export function litBulbsOf(votes: number): { llena: boolean; focos: number[] } {
  let left = votes % BULBS
  const litBulbs = BULBS_PER_RING.map((bulbs) => {
    const lit = Math.min(bulbs, left)
    left -= lit
    return lit
  })
  return { llena: votes >= BULBS, focos: litBulbs }
}
