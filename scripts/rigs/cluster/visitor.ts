import { Agent, request } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from '../smoke-test.ts'
import type { Installation } from './machines.ts'

export interface Answer {
  status: number
  headers: NodeJS.Dict<string | string[]>
  body: Buffer
  text: string
  json<Data>(): Data
  /** Which process answered; undefined where the proxy did. */
  processName: string | undefined
}

interface RequestDetails {
  method?: string
  headers?: Record<string, string>
  body?: URLSearchParams | FormData | Buffer | undefined
  /** Name of the process that must answer, instead of the proxy's choice. */
  processName?: string | undefined
  /** How long an answer is waited for. */
  patienceMs?: number
  /** Ends the request once the text received so far matches. */
  until?: RegExp
}

let visitors = 0

/** A visitor with a network address and cookies of their own, who sends requests through the proxy. */
export class Visitor {
  readonly #lugar: Pick<Installation, 'origin'>
  readonly #agent: Agent
  readonly #cookies = new Map<string, string>()
  /** Processes that have answered. */
  readonly answeredBy = new Set<string>()

  constructor(place: Pick<Installation, 'origin'>) {
    this.#lugar = place
    const nth = ++visitors
    this.#agent = new Agent({
      keepAlive: true,
      maxSockets: 8,
      // All of 127.0.0.0/8 is this machine; consecutive visitors get addresses in networks far apart.
      localAddress: `127.${1 + (nth % 250)}.${Math.floor(nth / 250) % 250}.1`,
    })
  }

  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  keep(name: string, value: string): void {
    this.#cookies.set(name, value)
  }

  forget(): void {
    this.#cookies.clear()
  }

  /** Sends one request. @throws when the connection breaks */
  async request(
    path: string,
    { method, headers = {}, body, processName, patienceMs = 30_000, until }: RequestDetails = {},
  ): Promise<Answer> {
    const { origin } = this.#lugar
    const given = body === undefined || Buffer.isBuffer(body) ? undefined : new Response(body)
    const bytes = Buffer.isBuffer(body) ? body : given && Buffer.from(await given.arrayBuffer())
    const type = given?.headers.get('content-type')
    const cookie = this.cookie
    const answer = await new Promise<Answer>((resolve, reject) => {
      const sent = request(new URL(path, origin), {
        agent: this.#agent,
        method: method ?? (bytes ? 'POST' : 'GET'),
        headers: {
          ...{ origin, 'user-agent': 'Mozilla/5.0 (prueba)', 'sec-fetch-site': 'same-origin' },
          ...(cookie && { cookie }),
          ...(type && { 'content-type': type }),
          ...(bytes && { 'content-length': String(bytes.length) }),
          ...(processName !== undefined && { 'x-por': processName }),
          ...headers,
        },
        signal: AbortSignal.timeout(patienceMs),
      })
      sent.on('error', reject)
      sent.on('response', (response) => {
        const pieces: Buffer[] = []
        response.on('error', reject)
        response.on('data', (piece: Buffer) => {
          pieces.push(piece)
          if (!until?.test(Buffer.concat(pieces).toString())) return
          tell()
          response.destroy()
        })
        response.on('end', () => tell())
        const tell = () => {
          const whole = Buffer.concat(pieces)
          const runningProcess = response.headers['x-proceso'] as string | undefined
          resolve({
            ...{ status: response.statusCode ?? 0, headers: response.headers, body: whole },
            processName: runningProcess?.startsWith('<') ? undefined : runningProcess,
            get text() {
              return whole.toString()
            },
            json: () => JSON.parse(whole.toString()),
          })
        }
      })
      sent.end(bytes)
    })
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/max-age=0/i.test(line)) this.#cookies.delete(name)
      else this.#cookies.set(name, value)
    }
    if (answer.processName) this.answeredBy.add(answer.processName)
    return answer
  }

  /**
   * Repeats a request, as the site's pages do, after a broken connection, a 408 or a 5xx, until another answer comes.
   * @throws after `patienceMs` without one
   */
  async requestUntilAnswered(path: string, requested: RequestDetails = {}, patienceMs = 60_000): Promise<Answer> {
    let last: unknown
    for (const end = Date.now() + patienceMs; Date.now() < end; await sleep(200)) {
      const answer = await this.request(path, { patienceMs: 15_000, ...requested }).catch((error: unknown) => {
        last = error
      })
      if (answer && answer.status < 500 && answer.status !== 408) return answer
      if (answer) last = `${answer.status} ${words(answer)}`
    }
    throw new Error(`${requested.method ?? ''} ${path} no tuvo respuesta en un minuto: ${last}`)
  }

  close(): void {
    this.#agent.destroy()
  }
}

/** The beginning of a page's text, without its tags. */
export const words = ({ text }: Answer): string =>
  text
    .replaceAll(/<(script|style)[\s\S]*?<\/\1>|<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .slice(0, 300)

export function spread({ answeredBy }: Visitor, atLeast = 3): void {
  expect(answeredBy.size >= atLeast, `sólo contestó ${[...answeredBy].join(', ')}`)
}
