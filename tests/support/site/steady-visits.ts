import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** SteadyVisits are visitors who keep asking, over new connections and over a kept one. */
export interface SteadyVisits {
  /** Ends the visits. @returns the number of answers with status 200, and a line for each other outcome */
  stop(): Promise<{ answered: number; wrong: string[] }>
}

const PATHS = ['/', '/registro', '/misspopularidad', '/folio', '/healthz']
const PAUSE_MS = 50
/** An answer may take this long, at any moment of a change of versions. */
const PATIENCE_MS = 15_000

export function startSteadyVisits(url: string): SteadyVisits {
  let isOver = false
  let answered = 0
  const wrong: string[] = []
  const kept = new Agent({ keepAlive: true, maxSockets: 1 })
  const ask = (path: string, agent: Agent | false) =>
    new Promise<void>((resolve) => {
      const end = (what?: string) => {
        if (what === undefined) answered++
        else wrong.push(`${path} ${agent ? 'kept' : 'new'} ${what}`)
        resolve()
      }
      const asked = request(url + path, { agent, signal: AbortSignal.timeout(PATIENCE_MS) }, (response) => {
        response.resume()
        response.on('end', () => end(response.statusCode === 200 ? undefined : String(response.statusCode)))
        response.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message))
      })
      asked.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message))
      asked.end()
    })
  const visitor = async (agent: Agent | false) => {
    for (let turn = 0; !isOver; turn++) {
      await ask(PATHS[turn % PATHS.length]!, agent)
      await sleep(PAUSE_MS)
    }
  }
  const all = Promise.all([visitor(false), visitor(false), visitor(kept)])
  return {
    async stop() {
      isOver = true
      await all
      kept.destroy()
      return { answered, wrong }
    },
  }
}
