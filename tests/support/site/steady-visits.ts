import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** Visitors who come without a pause, over new connections and over one that they keep. */
export interface SteadyVisits {
  /** Ends them. @returns how many were answered, and what became of the others */
  stop(): Promise<{ answered: number; wrong: string[] }>
}

const PATHS = ['/', '/registro', '/misspopularidad', '/folio', '/healthz']
const PAUSE_MS = 50
/** Nobody waits for longer, at any moment of a change of versions. */
const PATIENCE_MS = 15_000

export function visitWithoutPause(url: string): SteadyVisits {
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
