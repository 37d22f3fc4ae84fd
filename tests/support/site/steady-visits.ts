import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** Visitors who request one page after another, over new connections and over a kept one. */
export interface SteadyVisits {
  /** Ends the visits. @returns the number of responses with status 200, and a line for each other outcome */
  stop(): Promise<{ answered: number; wrong: string[] }>
}

const PATHS = ['/', '/registro', '/misspopularidad', '/folio', '/healthz']
const PAUSE_MS = 50
/** Longest time of a response, at any moment of a change of versions. */
const RESPONSE_TIMEOUT_MS = 15_000

export function startSteadyVisits(url: string): SteadyVisits {
  let hasEnded = false
  let answered = 0
  const wrong: string[] = []
  const keptAgent = new Agent({ keepAlive: true, maxSockets: 1 })
  const requestPage = (path: string, agent: Agent | false) =>
    new Promise<void>((resolve) => {
      const finish = (fault?: string) => {
        if (fault === undefined) answered++
        else wrong.push(`${path} ${agent ? 'kept' : 'new'} ${fault}`)
        resolve()
      }
      const outgoing = request(url + path, { agent, signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS) }, (response) => {
        response.resume()
        response.on('end', () => finish(response.statusCode === 200 ? undefined : String(response.statusCode)))
        response.on('error', (error: NodeJS.ErrnoException) => finish(error.code ?? error.message))
      })
      outgoing.on('error', (error: NodeJS.ErrnoException) => finish(error.code ?? error.message))
      outgoing.end()
    })
  const visitPages = async (agent: Agent | false) => {
    for (let index = 0; !hasEnded; index++) {
      await requestPage(PATHS[index % PATHS.length]!, agent)
      await sleep(PAUSE_MS)
    }
  }
  const visitors = Promise.all([visitPages(false), visitPages(false), visitPages(keptAgent)])
  return {
    async stop() {
      hasEnded = true
      await visitors
      keptAgent.destroy()
      return { answered, wrong }
    },
  }
}
