import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  newRegistration,
  type Registration,
  sendForm,
  sendRegistration,
} from '../support/entries/registrations-over-http.ts'

/** Statuses of faults and limits that pass by themselves, so that the page tries again. */
const PASSING_STATUSES = [408, 425, 429, 500, 502, 503, 504, 507]
const RETRY_DELAY_MS = 150
const FILE_BYTES = 30_000
/** Pause between two voters. */
const VOTER_PAUSE_MS = 100
/** Time after which an attempt is given up and made again, as on a dead connection. */
const ATTEMPT_TIMEOUT_MS = 60_000
/** Time after which a registration counts as refused for good, longer than the longest fault. */
const GIVE_UP_MS = 1_200_000

export interface Crowd {
  /** Receipts by voter, as the site confirmed them. */
  receipts: Map<string, { receipt: string; vote: number }>
  /** Registrations that the site confirmed. */
  confirmed: Set<Registration>
  /** Every registration that was begun. */
  started: Registration[]
  /** Refusals that no fault justifies, because a person could not get past them by trying again. */
  oddities: string[]
  /** Waits until that many more votes and registrations have been confirmed. @throws after `withinMs` */
  advance(votes: number, registrations: number, withinMs?: number): Promise<void>
  /** Begins no new vote or registration; resolves once each that was begun is confirmed or among `oddities`. */
  finish(): Promise<void>
}

interface CrowdOptions {
  url: string
  /** Cookies of signed-in voters who have not voted, by voter. */
  voterCookies: Map<string, string>
  /** Number of people who vote at once. */
  votersAtOnce: number
  /** Number of people who register at once. */
  registrantsAtOnce: number
  /** Reasons of refusals that pass by themselves once the machine's clock is right. */
  passingReasons?: readonly string[]
}

/**
 * Starts people who vote and register one after another, as the pages do. An unconfirmed request is sent again under the same
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
  let lastRefusal = ''
  const isPassing = (refusalText: string) =>
    passingReasons.some((reason) => refusalText.includes(`"reason":"${reason}"`))
  let voterCount = 0

  async function castVote(voter: string, cookie: string) {
    const voterNumber = voterCount++
    const body = new URLSearchParams({ vote: String(voterNumber % 5), intento: randomUUID() })
    for (;;) {
      const headers = {
        cookie,
        'x-forwarded-for': `10.${(voterNumber >> 14) & 255}.${(voterNumber >> 6) & 255}.${voterNumber & 63}`,
      }
      const signal = AbortSignal.timeout(ATTEMPT_TIMEOUT_MS)
      const response = await fetch(`${url}/misspopularidad/voto`, { method: 'POST', body, headers, signal }).catch(
        () => undefined,
      )
      const responseText = await response?.text().catch(() => undefined)
      if (response?.status === 200 && responseText !== undefined) {
        receipts.set(voter, { receipt: (JSON.parse(responseText) as { recibo: string }).recibo, vote: voterNumber % 5 })
        return
      }
      if (
        response &&
        responseText !== undefined &&
        !PASSING_STATUSES.includes(response.status) &&
        !isPassing(responseText)
      ) {
        oddities.push(`vote: ${response.status} ${responseText.slice(0, 300)}`)
        return
      }
      await sleep(RETRY_DELAY_MS)
    }
  }

  async function register(registrationNumber: number) {
    const registration = newRegistration(FILE_BYTES)
    started.push(registration)
    const send = registrationNumber % 4 === 0 ? sendForm : sendRegistration
    for (const giveUpMs = Date.now() + GIVE_UP_MS; ; ) {
      try {
        await send(url, registration, AbortSignal.timeout(ATTEMPT_TIMEOUT_MS))
        confirmed.add(registration)
        return
      } catch (error) {
        const errorText = error instanceof Error ? error.message : String(error)
        lastRefusal = errorText
        // A refusal for good, or for longer than any fault lasts, costs the person her input.
        if (
          !isPassing(errorText) &&
          (/^Refused: (4(?!29|08)|.*"reason":"(yaRecibido|camposDesconocidos|peticion|subidasDemasiadas)")/.test(
            errorText,
          ) ||
            Date.now() > giveUpMs)
        ) {
          oddities.push(`registration: ${errorText.slice(0, 600)}`)
          return
        }
      }
      await sleep(RETRY_DELAY_MS)
    }
  }

  const voters = Array.from({ length: votersAtOnce }, async () => {
    for (let next = queue.shift(); next && isOpen; next = queue.shift()) {
      await castVote(...next)
      await sleep(VOTER_PAUSE_MS)
    }
  })
  const registrants = Array.from({ length: registrantsAtOnce }, async (_, index) => {
    for (let registrationNumber = index; isOpen; registrationNumber++) await register(registrationNumber)
  })

  return {
    receipts,
    confirmed,
    started,
    oddities,
    async advance(votes, registrations, withinMs = 240_000) {
      const [votesBefore, registrationsBefore] = [receipts.size, confirmed.size]
      const hasAdvanced = () =>
        receipts.size >= votesBefore + votes && confirmed.size >= registrationsBefore + registrations
      for (const deadlineMs = Date.now() + withinMs; !hasAdvanced(); await sleep(50))
        if (Date.now() > deadlineMs)
          throw new Error(
            `After ${withinMs} ms: ${receipts.size - votesBefore} of ${votes} votes, ${confirmed.size - registrationsBefore} of ${registrations} registrations. ${oddities.slice(-2).join(' ')} Last refusal: ${lastRefusal.slice(0, 300)}`,
          )
    },
    async finish() {
      isOpen = false
      await Promise.all([...voters, ...registrants])
    },
  }
}
