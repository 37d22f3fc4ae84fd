import { createFairQueue } from '#app/core/concurrency/fair-queue.server.ts'
import { OverloadedError } from '#app/core/concurrency/limiter.server.ts'
import { neighbourhoodOf } from '#app/core/http/client-networks.server.ts'

/** A network's slot rests at most this many milliseconds, also after a screen that waited long for the database. */
const REST_MS = 60
/** A request waits at most this many milliseconds for a turn: after that, the busy page is better than a blank browser. */
const PATIENCE_MS = 4_000
const RETRY_SECONDS = 5

const LINE = { maxWaiting: 300, maxWaitingPerKey: 60, maxWaitMs: PATIENCE_MS }

/**
 * Renders in turns by a fair queue: a network, however many connections it has, takes a share of the rendering thread and never
 * all of it, since each of its two slots rests three times as long as it worked. A form takes a turn only to begin, since it may
 * wait for a password check or for files; forms go before screens, and those of registrations and votes (`isFirst`) wait for no
 * other form of their network.
 */
export function createRenderTurns() {
  const inTurn = createFairQueue(8, {
    forms: { ...LINE, weight: 1_000, cap: { maxConcurrent: 2, restMs: () => REST_MS } },
    screens: { ...LINE, weight: 1, cap: { maxConcurrent: 2, restMs: (workedMs) => Math.min(3 * workedMs, REST_MS) } },
  })

  return async (
    { client, isRead, isFirst }: { client: string; isRead: boolean; isFirst: boolean },
    render: () => Promise<Response>,
  ): Promise<Response> => {
    const network = neighbourhoodOf(client)
    try {
      if (isRead) return await inTurn('screens', network, render)
      await inTurn('forms', isFirst ? `${network} first` : network, async () => {})
    } catch (error) {
      if (error instanceof OverloadedError) return tooMany(isRead)
      throw error
    }
    return render()
  }
}

/** Returns the busy page, which reloads by itself; after a form it says that the form was not received. */
function tooMany(isRead: boolean): Response {
  const next = isRead
    ? 'Esta página vuelve a intentarlo sola en unos segundos.'
    : 'Tu envío no se recibió: regresa y envíalo de nuevo en un momento.'
  const page = `<!doctype html><html lang="es-MX"><head><meta charset="utf-8"><title>Hay mucha gente a la vez</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="dark"></head>
<body><h1>Hay mucha gente a la vez</h1><p>Desde tu red se piden muchas páginas en este momento. ${next}</p></body></html>`
  return new Response(page, {
    status: 503,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'retry-after': String(RETRY_SECONDS),
      ...(isRead && { refresh: String(RETRY_SECONDS) }),
    },
  })
}
