// A process that casts votes until a test kills it, and prints each receipt or refusal. Arguments: connection of the database
// (JSON), beginning of the voters' names.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase, openPool } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { createKeyDeriver } from '#app/core/process/session-secret.server.ts'
import { createVoting } from '#app/voting/ballot/mutations.server.ts'
import { sealVotes } from '#app/voting/sealing/sealing.server.ts'
import { ELECTION } from './votes.ts'

const [connection = '', namePrefix = ''] = process.argv.slice(2)
const pool = openPool(JSON.parse(connection))
// A connection may be cut between two queries; the next query opens another.
pool.on('error', () => {})
const services = {
  clock: { now: () => new Date('2025-09-20T12:00:00-06:00') },
  db: openDatabase(pool),
  keyed: createKeyDeriver('x'.repeat(40)),
} as unknown as Services
const voting = createVoting(services)
setInterval(() => void sealVotes(services, ELECTION).catch(() => {}), 50)

let voterCount = 0
/** Votes as one person after another. A vote without an outcome is sent again, as the page does. */
async function castVotes() {
  for (;;) {
    const voterName = `${namePrefix}-${++voterCount}`
    const ballotPaper = { vote: voterCount % 5, idempotencyKey: randomUUID() }
    const voter = {
      userId: voterName,
      email: `${voterName}@gmail.com`,
      client: `10.0.${voterCount % 250}.${voterCount % 200}`,
    }
    for (let hasOutcome = false; !hasOutcome; ) {
      const outcome = await voting.cast(ELECTION, voter, ballotPaper).catch(() => undefined)
      if (!outcome) {
        await sleep(20)
        continue
      }
      process.stdout.write(`${voterName} ${outcome.ok ? outcome.recibo : outcome.reason}\n`)
      hasOutcome = true
    }
  }
}
for (let index = 0; index < 20; index++) void castVotes()
