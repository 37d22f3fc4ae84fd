import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { Agent, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { openDatabase, openPool } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { createKeyDeriver } from '#app/core/process/session-secret.server.ts'
import { recount } from '#app/voting/sealing/recount.server.ts'
import { type RunningSite, startSite } from '#tests/support/site/running-site.ts'
import { makeVoters } from '#tests/support/voting/voters.ts'
import { ELECTION } from '#tests/support/voting/votes.ts'
import { type Figure, median } from './figure.ts'

const CLIENT_COUNT = 200
/** Rounds of the vote and of the baseline take turns, so that both are measured on an equally busy machine. */
const ROUNDS = 3
const RUSH_MS = 4_000
const VOTER_COUNT = 60_000
/** Moment within the example edition's voting time. */
const CLOCK = '2025-09-20T12:00-06:00'

/** Measures how many votes a second the site accepts in a rush, against plain inserts. */
export async function measureVotes(say: (line: string) => void): Promise<Figure[]> {
  const site = await startSite({ SITE_CLOCK: CLOCK, TRUSTED_PROXIES: '1' })
  const config = { host: join(site.dataDir, 'postgres.sockets'), port: 5432, user: 'certamen', database: 'certamen' }
  const pool = openPool(config, 20)
  try {
    const keyed = createKeyDeriver((await readFile(join(site.dataDir, 'session-secret'), 'utf8')).trim())
    const cookies = await makeVoters(pool, keyed, VOTER_COUNT)
    const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
    // The first votes only warm the process up.
    const warmUp = await runRush(site, agent, cookies.splice(0, 3_000))
    say(`  calentamiento: ${Math.round(warmUp.perSecond)} votos/s`)

    const plainPerSecond: number[] = []
    const rushes: RushResult[] = []
    const votersPerRound = Math.floor(cookies.length / ROUNDS)
    for (let round = 0; round < ROUNDS; round++) {
      plainPerSecond.push(await measurePlainInserts(pool))
      rushes.push(await runRush(site, agent, cookies.splice(0, votersPerRound)))
      say(
        `  ${Math.round(rushes.at(-1)!.perSecond)} votos/s; inserciones simples: ${Math.round(plainPerSecond.at(-1)!)}/s`,
      )
    }
    await waitUntilSealed(pool)
    const services = { db: openDatabase(pool), clock: { now: () => new Date(CLOCK) }, keyed } as unknown as Services
    const { faults, ballotCount } = await recount(services, ELECTION)
    const acceptedCount = rushes.reduce((sum, { acceptedCount }) => sum + acceptedCount, warmUp.acceptedCount)
    const perSecond = median(rushes.map(({ perSecond }) => perSecond))
    const shareOfPlain = median(rushes.map((rush, round) => rush.perSecond / plainPerSecond[round]!))

    agent.destroy()
    return [
      {
        name: `votos aceptados por HTTP, ${CLIENT_COUNT} clientes`,
        value: perSecond,
        unit: '/s',
        baseline: { name: 'inserciones simples, mismos clientes', value: median(plainPerSecond) },
      },
      { name: 'los mismos, en proporción', value: shareOfPlain, unit: '×', target: { atLeast: 0.6 } },
      { name: 'los mismos: p99', value: median(rushes.map(({ p99Ms }) => p99Ms)), unit: 'ms', target: { atMost: 250 } },
      {
        name: 'los mismos: aceptados y no contados, o fallas del recuento',
        value: Math.abs(acceptedCount - ballotCount) + faults.length,
        unit: '',
        target: { atMost: 0 },
      },
    ]
  } finally {
    await pool.end()
    await site.stop()
  }
}

/** Number of the next voter's network. It counts over all rounds, so that each vote comes from another network. */
let nextNetwork = 0

interface RushResult {
  acceptedCount: number
  seconds: number
  perSecond: number
  p99Ms: number
}

/** Casts votes, CLIENT_COUNT at a time, until RUSH_MS are over or all voters have voted. @throws if a vote is not accepted */
async function runRush(site: RunningSite, agent: Agent, cookies: string[]): Promise<RushResult> {
  const startedAtMs = performance.now()
  const latenciesMs: number[] = []
  let nextVoter = 0
  const voteRepeatedly = async () => {
    while (nextVoter < cookies.length && performance.now() - startedAtMs < RUSH_MS) {
      const voter = nextVoter++
      const sentAtMs = performance.now()
      const status = await castVote(site, agent, cookies[voter]!, nextNetwork++)
      if (status !== 200) throw new Error(`A vote was answered with ${status}`)
      latenciesMs.push(performance.now() - sentAtMs)
    }
  }
  await Promise.all(Array.from({ length: CLIENT_COUNT }, voteRepeatedly))
  const seconds = (performance.now() - startedAtMs) / 1_000
  latenciesMs.sort((a, b) => a - b)
  return {
    acceptedCount: latenciesMs.length,
    seconds,
    perSecond: latenciesMs.length / seconds,
    p99Ms: latenciesMs[Math.floor(latenciesMs.length * 0.99)] ?? 0,
  }
}

function castVote({ url }: RunningSite, agent: Agent, cookie: string, network: number): Promise<number> {
  const body = `vote=${network % 5}&intento=${randomUUID()}`
  return new Promise((resolve, reject) => {
    const outgoing = request(`${url}/misspopularidad/voto`, {
      agent,
      method: 'POST',
      headers: {
        cookie,
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': body.length,
        'x-forwarded-for': `10.${(network >> 14) & 255}.${(network >> 6) & 255}.${network & 63}`,
      },
    })
    outgoing.on('response', (response: IncomingMessage) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode ?? 0))
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

/** Measures inserts a second of the row that §7 prescribes, with as many clients and connections as the site has. */
async function measurePlainInserts(pool: pg.Pool): Promise<number> {
  await pool.query(
    'create table medida_votos (id bigint generated always as identity primary key, user_id text, candidata text)',
  )
  const startedAtMs = performance.now()
  let insertedCount = 0
  const insertRepeatedly = async (clientNumber: number) => {
    while (performance.now() - startedAtMs < RUSH_MS) {
      await pool.query('insert into medida_votos (user_id, candidata) values ($1, $2)', [
        `medida-${clientNumber}-${insertedCount}`,
        ELECTION.candidatas[insertedCount % 5]!.nombre,
      ])
      insertedCount++
    }
  }
  await Promise.all(Array.from({ length: CLIENT_COUNT }, (_, clientNumber) => insertRepeatedly(clientNumber)))
  const perSecond = insertedCount / ((performance.now() - startedAtMs) / 1_000)
  await pool.query('drop table medida_votos')
  return perSecond
}

/** Waits until every vote is in a sealed batch. @throws after two minutes */
async function waitUntilSealed(pool: pg.Pool): Promise<void> {
  for (let attemptsLeft = 600; attemptsLeft > 0; attemptsLeft--, await sleep(200)) {
    const { rows } = await pool.query('select 1 from banda_digital_votes where lote is null limit 1')
    if (rows.length === 0) return
  }
  throw new Error('Votes were left unsealed')
}
