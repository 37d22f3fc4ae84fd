import { randomUUID } from 'node:crypto'
import { cpus, loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from '../smoke-test.ts'
import type { Installation } from './machines.ts'
import { Visitor } from './visitor.ts'
import { voters } from './voting.ts'

const CLIENTS = 60
/** Few enough of each network that no vote needs a proof of work. */
const VOTERS = 2_000
const RUSH_MS = 5_000

/** Calls of `work` a second, by CLIENTS clients at once. */
async function perSecond(work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  let done = 0
  const client = async () => {
    while (performance.now() - began < RUSH_MS) {
      await work()
      done++
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  return done / ((performance.now() - began) / 1_000)
}

async function measure(place: Installation) {
  const people = await voters(place, VOTERS)
  const browsers = Array.from({ length: CLIENTS }, () => new Visitor(place))
  let next = 0
  const renderedPages = async (path: string) =>
    perSecond(async () => {
      const { status } = await browsers[next++ % CLIENTS]!.request(path)
      expect(status === 200, `${path}: ${status}`)
    })
  const cover = await renderedPages('/')
  const voting = await renderedPages('/misspopularidad')
  let voted = 0
  const began = performance.now()
  const voter = async () => {
    for (let who = people.pop(); who && performance.now() - began < RUSH_MS; who = people.pop()) {
      // Separate connections for each voter would cost more than the votes.
      const browser = browsers[voted % CLIENTS]!
      const body = new URLSearchParams({ vote: String(voted % 5), intento: randomUUID() })
      const { status } = await browser.request('/misspopularidad/voto', { body, headers: { cookie: who.cookie } })
      expect(status === 200, `voto: ${status}`)
      voted++
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, voter))
  const votes = voted / ((performance.now() - began) / 1_000)
  for (const browser of browsers) browser.close()
  return { portada: cover, votacion: voting, votos: votes }
}

/** Pages and votes a second with one, two and three processes, as a table. The clients share the machine with the processes. */
export async function figures(place: Installation): Promise<void> {
  console.log(
    `Cifras, ${CLIENTS} a la vez, en ${cpus().length} núcleos que comparten los procesos, la base de datos, S3, el balanceador y quien pregunta (carga antes: ${loadavg()[0]!.toFixed(1)}):`,
  )
  const rows: Record<string, Record<string, string>> = {}
  let first: Awaited<ReturnType<typeof measure>> | undefined
  for (const runningProcess of place.processes.slice(1)) await runningProcess.kill('SIGTERM')
  // The proxy needs a moment to notice that processes have stopped.
  await sleep(6_000)
  for (const [at, runningProcess] of place.processes.entries()) {
    if (at > 0) await runningProcess.start()
    // The first round warms a process up.
    await measure(place)
    const found = await measure(place)
    first ??= found
    const said = (name: keyof typeof found) =>
      `${Math.round(found[name])}/s (${(found[name] / first![name]).toFixed(2)}×)`
    rows[`${at + 1} proceso${at > 0 ? 's' : ''}`] = {
      portada: said('portada'),
      'página de votación': said('votacion'),
      votos: said('votos'),
    }
  }
  console.table(rows)
}
