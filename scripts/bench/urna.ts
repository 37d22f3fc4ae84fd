import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase, openPool } from '#app/core/db/database.server.ts'
import { migrate } from '#app/core/db/migrate.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { startPostgres } from '#app/core/postgres/embedded.server.ts'
import { createLog } from '#app/core/process/log.server.ts'
import { keysOf } from '#app/core/process/session-secret.server.ts'
import { workOn } from '#app/voting/ballot/challenge.client.ts'
import { createVoting, keepCandidateNames } from '#app/voting/ballot/mutations.server.ts'
import { type Election, loadElection } from '#app/voting/election/data.server.ts'
import { SPAN_MS } from '#app/voting/election/rules.ts'
import { flagTargetName } from '#app/voting/election/tally-rules.ts'
import { listFlags } from '#app/voting/origins/flags.server.ts'
import { readClosingRecord } from '#app/voting/record/schema.ts'
import { annulVotes, closeVote } from '#app/voting/tally/mutations.server.ts'
import { sealVotes } from '#app/voting/tally/sealing.server.ts'
import type { Figure } from './figure.ts'

const SEED = 20_250_914
const DAYS = 12
const DAY_MS = 24 * 3_600_000
/** Voters of the small town and of the large town, besides a school. */
const TOWNS = [3_000, 30_000]

/** One attempt to vote. */
interface Attempt {
  /** The group: the town, or one kind of attack. */
  de: string
  atMs: number
  correo: string
  client: string
}

/** Random numbers below 1, the same in every run. @source mulberry32 */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/**
 * Simulates a small and a large town that vote for twelve days while attackers stuff the ballot, through the site's own code and
 * a real database: which origins are marked, and which votes stand once every marked origin is annulled.
 */
export async function ballotStuffingFigures(say: (line: string) => void): Promise<Figure[]> {
  const election = await loadElection()
  const figures: Figure[] = []
  const endMs = Date.parse(election.cierre)
  for (const people of TOWNS) {
    const random = randomFrom(SEED)
    const voters = [...town(random, endMs, people)]
    const { table, faults } = await resultOf([...voters, ...attackers(random, endMs)], election, say)
    const careful = await resultOf([...voters, ...carefulPerson(random, endMs, voters.length)], election, say)
    console.log(`Semilla ${SEED}, pueblo de ${voters.length}`)
    console.table(table)
    console.table(careful.table)
    const marked = table.find(({ de }) => de === TOWN)!
    const one = careful.table.find(({ de }) => de !== TOWN)!
    const named = (what: string) => `urna de ${people}: ${what}`
    figures.push(
      {
        name: named('votos honrados marcados, de cada cien'),
        value: (100 * marked.marcados) / marked.votos,
        unit: '%',
        target: { atMost: 0.5 },
      },
      {
        name: named('parte de quien se detiene en cada límite (un dominio, alias, un buzón en cada proveedor)'),
        value: (100 * one.enPie) / careful.table.reduce((sum, { votos }) => sum + votos, 0),
        unit: '%',
        target: { atMost: 0.5 },
      },
      ...table
        .filter(({ de }) => de !== TOWN)
        .map(({ de, intentos: tries, enPie }) => ({
          name: named(`votos en pie de «${de}», de ${tries}`),
          value: enPie,
          unit: 'votos',
          // Of an attack that costs nothing, only the votes of the attacker's own mailboxes may stand.
          ...(FREE.includes(de) && { target: { atMost: 7 } }),
        })),
      { name: named('diferencias en el recuento'), value: faults + careful.faults, unit: '', target: { atMost: 0 } },
    )
  }
  return figures
}

async function resultOf(attempts: Attempt[], election: Election, say: (line: string) => void) {
  const folder = await mkdtemp(join(tmpdir(), 'certamen-urna-'))
  const postgres = await startPostgres(join(folder, 'postgres'), say)
  const pool = openPool(postgres.connection, 10)
  // The pool emits an error when PostgreSQL stops before its connections have closed.
  pool.on('error', () => {})
  try {
    await migrate(pool, 'db/migrations')
    return await simulate(openDatabase(pool), attempts, election, say)
  } finally {
    await pool.end()
    await postgres.stop()
    await rm(folder, { recursive: true })
  }
}

async function simulate(
  db: Services['db'],
  unsorted: readonly Attempt[],
  election: Election,
  say: (line: string) => void,
) {
  const endMs = Date.parse(election.cierre)
  const attempts = unsorted.toSorted((a, b) => a.atMs - b.atMs)
  let now = new Date(attempts[0]!.atMs)
  const services = {
    ...{ db, keyed: keysOf('x'.repeat(40)), log: createLog('silent') },
    clock: { now: () => now },
  } as unknown as Services
  await keepCandidateNames(services, election)
  const voting = createVoting(services)
  const asked = new Map<string, number>()
  let done = 0

  async function cast({ de, correo, client }: Attempt) {
    // The town votes for all candidates in turn; attackers vote for the first.
    const vote = de === TOWN ? done++ % election.candidatas.length : 0
    const voter = { userId: `${de}:${correo}`, correo, client }
    const answer = await voting.cast(election, voter, { vote })
    if (answer.ok || !answer.reto) return
    asked.set(de, (asked.get(de) ?? 0) + 1)
    const proof = { reto: JSON.stringify(answer.reto), respuesta: (await workOn(answer.reto))! }
    await voting.cast(election, voter, { vote, prueba: proof })
  }

  const spans = Map.groupBy(attempts, ({ atMs }) => Math.floor(atMs / SPAN_MS))
  let day = 0
  for (const [span, some] of spans) {
    now = new Date(Math.min(span * SPAN_MS + 1_000, endMs))
    const today = Math.floor((now.getTime() - endMs) / DAY_MS) + DAYS
    if (today > day) {
      day = today
      say(`  día ${day} de ${DAYS}`)
    }
    await Promise.all(some.map(cast))
    await sealVotes(services, election)
  }

  const actor = { quien: 'urna', desde: 'urna' }
  const flags = await listFlags(db, election.edicion)
  for (const { id } of flags)
    await annulVotes(services, election, { marca: id, motivo: 'Pasó de la regla publicada.' }, actor)
  now = new Date(endMs + 5 * 60_000)
  const closed = await closeVote(services, election, actor)
  const faults = closed.ok ? readClosingRecord(closed.acta.contenido).fallas : ['no act']
  for (const { clase, origen, votos } of flags) say(`  marcado: ${flagTargetName({ clase, origen })}: ${votos}`)
  const rows = await db
    .selectFrom('banda_digital_votes as v')
    .leftJoin('votos_anulados as a', 'a.voto_id', 'v.id')
    .select(['v.user_id', 'a.voto_id'])
    .execute()
  const table = [...new Set(attempts.map(({ de }) => de))].map((de) => {
    const own = rows.filter(({ user_id }) => user_id.startsWith(`${de}:`))
    const standing = own.filter(({ voto_id }) => voto_id === null).length
    return {
      de,
      intentos: attempts.filter((one) => one.de === de).length,
      votos: own.length,
      conTrabajo: asked.get(de) ?? 0,
      marcados: own.length - standing,
      enPie: standing,
    }
  })
  return { table, faults: faults.length }
}

const TOWN = 'pueblo'

/** Attacks whose addresses cost nothing. Other attackers pay for every few votes, with a domain or a real mailbox. */
const FREE = ['dominio comodín', 'relleno en la ráfaga de la escuela', 'servicios de alias', 'grafías de sus buzones']

/** Mail providers in Mexico, in percent of the voters. */
const MAIL_PROVIDERS: [share: number, domain: string][] = [
  [70, 'gmail.com'],
  [16, 'hotmail.com'],
  [5, 'outlook.com'],
  [4, 'yahoo.com.mx'],
  [5, 'icloud.com'],
]

const pick = <Value>(random: () => number, shares: readonly (readonly [number, Value])[]): Value => {
  let left = random() * shares.reduce((sum, [share]) => sum + share, 0)
  for (const [share, value] of shares) {
    left -= share
    if (left < 0) return value
  }
  return shares.at(-1)![1]
}

/** The town: 70 % behind 12 addresses of two telephone companies, 2 % with their own domains, 0.1 % with throw-away addresses. */
function* town(random: () => number, endMs: number, people: number): Generator<Attempt> {
  // One company has eight IPv4 addresses, the other four IPv6 blocks; each carries more or less of the town.
  const carriers = Array.from({ length: 12 }, (_, at) => {
    const client = at < 8 ? `187.190.${at}.10` : `2806:2f0:${(at - 7).toString(16)}:1::/64`
    return [0.5 + random(), client] as const
  })
  // Homes share the blocks of their provider: a few blocks have most of them.
  const homes = Array.from({ length: 300 }, (_, at) => [1 / (at + 3), at] as const)
  const domains = Array.from({ length: 260 }, (_, at) => [1 / (at + 12), `empresa${at}.mx`] as const)
  for (let at = 0; at < people; at++) {
    const client =
      random() < 0.7 ? pick(random, carriers) : `189.${pick(random, homes)}.20.${1 + Math.floor(random() * 250)}`
    const kind = random()
    const domain = kind < 0.02 ? pick(random, domains) : kind < 0.021 ? 'yopmail.com' : pick(random, MAIL_PROVIDERS)
    yield { de: TOWN, atMs: endMs - townMs(random), correo: `persona${at}@${domain}`, client }
  }
  // A school votes together on a Friday, from its own network: 250 within the ten minutes of its break.
  const friday = Math.floor((endMs - 6 * DAY_MS - 11 * 3_600_000) / SPAN_MS) * SPAN_MS
  for (let at = 0; at < 400; at++)
    yield {
      de: TOWN,
      atMs: friday + (at < 250 ? random() * SPAN_MS : SPAN_MS + random() * 40 * 60_000),
      correo: `alumna${at}@gmail.com`,
      client: `148.202.7.${at % 250}`,
    }
}

/** Milliseconds before the end at which a voter votes: more each day, in the evenings, and a third in the last five hours. */
function townMs(random: () => number): number {
  if (random() < 0.33) return random() ** 1.5 * 5 * 3_600_000
  const day = Math.floor(DAYS * random() ** 1.6)
  const hour = 10 + (random() + random() + random()) * 4.6
  return day * DAY_MS + (23.98 - Math.min(hour, 23.9)) * 3_600_000
}

/** A person who knows the published limits, and stops at each. @param people how many other people vote */
function* carefulPerson(random: () => number, endMs: number, people: number): Generator<Attempt> {
  const limit = Math.max(4, Math.floor(people / 750))
  const mailboxes = ['gmail.com', 'hotmail.com', 'yahoo.com', 'icloud.com', 'proton.me', 'gmx.com', 'zoho.com']
  const mails = Array.from({ length: limit }, (_, at) => [`voto${at}@cuidadoso.mx`, `voto${at}@duck.com`]).flat()
  for (const email of [...mails, ...mailboxes.map((domain) => `cuidadoso@${domain}`)])
    yield {
      de: 'quien se detiene en cada límite',
      atMs: endMs - random() * 3_600_000,
      correo: email,
      client: '187.190.3.10',
    }
}

function* attackers(random: () => number, endMs: number): Generator<Attempt> {
  /** Network addresses of a rented proxy service, all over the country. */
  const proxy = () => `201.${Math.floor(random() * 200)}.${Math.floor(random() * 250)}.9`
  const during = (fromDay: number, hours: number) => endMs - fromDay * DAY_MS + random() * hours * 3_600_000
  for (let at = 0; at < 400; at++)
    yield {
      de: 'dominio comodín',
      atMs: during(5, 6),
      correo: `voto@s${at}.primo.com.mx`,
      client: proxy(),
    }
  for (let at = 0; at < 400; at++)
    yield {
      de: '200 dominios (los paga)',
      atMs: during(4, 48),
      correo: `voto${at}@ataque${at % 200}.mx`,
      client: proxy(),
    }
  for (let at = 0; at < 150; at++) {
    const dotted = [...'primodeana'].map((letter, place) => ((at >> place) & 1 ? `${letter}.` : letter)).join('')
    const name = dotted.replace(/\.$/, '')
    for (const email of [
      `${name}@${at % 2 ? 'gmail.com' : 'googlemail.com'}`,
      `${name.replaceAll('.', '_')}@${['proton.me', 'pm.me', 'protonmail.com'][at % 3]}`,
      `primodeana+${at}@outlook.com`,
      `primodeana-${at}@yahoo.com`,
      `primodeana+${at}@${['icloud.com', 'me.com', 'mac.com'][at % 3]}`,
      `x${at}@primodeana.fastmail.com`,
      `primo.de-ana+${at}@${['yandex.com', 'ya.ru'][at % 2]}`,
    ])
      yield { de: 'grafías de sus buzones', atMs: during(3, 10), correo: email, client: proxy() }
  }
  for (let at = 0; at < 980; at++) {
    const service = ['duck.com', 'mozmail.com', 'passmail.net', 'simplelogin.com', 'primo.anonaddy.com', 'icloud.com'][
      at % 6
    ]!
    const name =
      service === 'icloud.com'
        ? `vortex_tuna${'abcdefghij'[at % 10]}.${at % 10}${(at % 36).toString(36)}`
        : `alias${at}`
    yield { de: 'servicios de alias', atMs: during(3, 5), correo: `${name}@${service}`, client: proxy() }
  }
  // Votes from the school's network during its break, which would turn the school's own votes into a burst.
  const breakMs = Math.floor((endMs - 6 * DAY_MS - 11 * 3_600_000) / SPAN_MS) * SPAN_MS
  for (let at = 0; at < 51; at++)
    yield {
      de: 'relleno en la ráfaga de la escuela',
      atMs: breakMs + random() * SPAN_MS,
      correo: `relleno${at}@primo.com.mx`,
      client: '148.202.7.9',
    }
  for (let at = 0; at < 500; at++)
    yield {
      de: 'lista comprada de 500 buzones',
      atMs: during(2, 3),
      correo: `comprado${at}@${pick(random, MAIL_PROVIDERS)}`,
      client: '189.77.201.14',
    }
  // Each domain stops at the rule's limit, and each vote comes from a telephone company's address.
  for (let at = 0; at < 500; at++)
    yield {
      de: 'goteo de 25 dominios (los paga)',
      atMs: endMs - (at / 500) * DAYS * DAY_MS - 60_000,
      correo: `gota${at}@goteo${at % 25}.mx`,
      client: `187.190.${at % 8}.10`,
    }
  for (let at = 0; at < 240; at++)
    yield {
      de: 'laboratorio de una escuela',
      atMs: during(1.4, 4),
      correo: `cuenta${at}@gmail.com`,
      client: `148.202.9.${at % 40}`,
    }
}
