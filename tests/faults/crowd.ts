import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  newRegistration,
  type Registration,
  sendForm,
  sendRegistration,
} from '../support/entries/registrations-over-http.ts'

/** Statuses that pass by themselves: faults of the site or of a machine, and limits. The page tries again. */
const PASSING = [408, 425, 429, 500, 502, 503, 504, 507]
const AGAIN_MS = 150
const FILE_BYTES = 30_000
/** Pause between two voters. */
const PAUSE_MS = 100
/** A page on a dead connection asks again after this time. */
const PATIENCE_MS = 60_000
/** Time after which a registration counts as refused for good, longer than the longest fault. */
const GIVE_UP_MS = 1_200_000

export interface Crowd {
  /** Receipts by voter, as the site confirmed them. */
  receipts: Map<string, { receipt: string; vote: number }>
  confirmed: Set<Registration>
  /** Every registration that was begun. */
  started: Registration[]
  /** Answers that no fault justifies, because a person could not mend them by trying again. */
  oddities: string[]
  /** Waits until that many more votes and registrations have been confirmed. */
  advance(votes: number, registrations: number, withinMs?: number): Promise<void>
  /** Begins no new vote or registration; resolves once all that were begun are confirmed. */
  finish(): Promise<void>
}

interface CrowdOptions {
  url: string
  /** Cookies of signed-in voters who have not voted, by voter. */
  voterCookies: Map<string, string>
  /** How many people vote and how many register at once. */
  votersAtOnce: number
  registrantsAtOnce: number
  /** Reasons of refusals that pass by themselves once the machine's clock is right. */
  passingReasons?: readonly string[]
}

/**
 * People who vote and register one after another, as the pages do. An unconfirmed request is sent again under the same
 * idempotency key until the site confirms it, through every fault.
 */
export function startCrowd({
  url,
  voterCookies,
  votersAtOnce,
  registrantsAtOnce,
  passingReasons = [],
}: CrowdOptions): Crowd {
  const receipts: Crowd['receipts'] = new Map()
  const confirmed = new Set<Registration>()
  const started: Registration[] = []
  const oddities: string[] = []
  const queue = [...voterCookies]
  let isOpen = true
  let last = ''
  const passes = (said: string) => passingReasons.some((reason) => said.includes(`"reason":"${reason}"`))
  let people = 0

  async function castVote(who: string, cookie: string) {
    const nth = people++
    const body = new URLSearchParams({ vote: String(nth % 5), intento: randomUUID() })
    for (;;) {
      const headers = { cookie, 'x-forwarded-for': `10.${(nth >> 14) & 255}.${(nth >> 6) & 255}.${nth & 63}` }
      const signal = AbortSignal.timeout(PATIENCE_MS)
      const answer = await fetch(`${url}/misspopularidad/voto`, { method: 'POST', body, headers, signal }).catch(
        () => undefined,
      )
      const said = await answer?.text().catch(() => undefined)
      if (answer?.status === 200 && said !== undefined) {
        receipts.set(who, { receipt: (JSON.parse(said) as { recibo: string }).recibo, vote: nth % 5 })
        return
      }
      if (answer && said !== undefined && !PASSING.includes(answer.status) && !passes(said)) {
        oddities.push(`vote: ${answer.status} ${said.slice(0, 300)}`)
        return
      }
      await sleep(AGAIN_MS)
    }
  }

  async function register(turn: number) {
    const registration = newRegistration(FILE_BYTES)
    started.push(registration)
    const send = turn % 4 === 0 ? sendForm : sendRegistration
    for (const giveUpMs = Date.now() + GIVE_UP_MS; ; ) {
      try {
        await send(url, registration, AbortSignal.timeout(PATIENCE_MS))
        confirmed.add(registration)
        return
      } catch (error) {
        const said = error instanceof Error ? error.message : String(error)
        last = said
        // A refusal for good, or for longer than any fault lasts, costs the person her input.
        if (
          !passes(said) &&
          (/^Refused: (4(?!29|08)|.*"reason":"(yaRecibido|camposDesconocidos|peticion|subidasDemasiadas)")/.test(
            said,
          ) ||
            Date.now() > giveUpMs)
        ) {
          oddities.push(`registration: ${said.slice(0, 600)}`)
          return
        }
      }
      await sleep(AGAIN_MS)
    }
  }

  const voters = Array.from({ length: votersAtOnce }, async () => {
    for (let next = queue.shift(); next && isOpen; next = queue.shift()) {
      await castVote(...next)
      await sleep(PAUSE_MS)
    }
  })
  const registrants = Array.from({ length: registrantsAtOnce }, async (_, at) => {
    for (let turn = at; isOpen; turn++) await register(turn)
  })

  return {
    receipts,
    confirmed,
    started,
    oddities,
    async advance(votes, registrations, withinMs = 240_000) {
      const [votesBefore, registrationsBefore] = [receipts.size, confirmed.size]
      const isThere = () =>
        receipts.size >= votesBefore + votes && confirmed.size >= registrationsBefore + registrations
      for (const end = Date.now() + withinMs; !isThere(); await sleep(50))
        if (Date.now() > end)
          throw new Error(
            `After ${withinMs} ms: ${receipts.size - votesBefore} of ${votes} votes, ${confirmed.size - registrationsBefore} of ${registrations} registrations. ${oddities.slice(-2).join(' ')} Last refusal: ${last.slice(0, 300)}`,
          )
    },
    async finish() {
      isOpen = false
      await Promise.all([...voters, ...registrants])
    },
  }
}
