import { createHash } from 'node:crypto'
import { createFairQueue } from '#app/core/concurrency/fair-queue.server.ts'
import { OverloadedError } from '#app/core/concurrency/limiter.server.ts'
import { neighbourhoodOf } from '#app/core/http/client-networks.server.ts'

/** Longest rest of a neighbourhood's slot, also after a screen that waited for the database. */
const MAX_REST_MS = 60
/** Longest wait of a request for its turn; after that, the busy page is better than a blank browser. */
const MAX_WAIT_MS = 4_000
const RETRY_SECONDS = 5

const COMMON_LIMITS = { maxWaiting: 300, maxWaitingPerKey: 60, maxWaitMs: MAX_WAIT_MS }

/**
 * Creates a fair queue for rendering, which runs eight jobs at a time, and in which neighbourhoods take turns. With screens of
 * less than MAX_REST_MS, one neighbourhood cannot occupy the whole rendering thread, since each of its two slots rests three
 * times as long as it worked, but at most MAX_REST_MS. A form holds its turn only at its beginning, since it may then wait for a
 * password check or for files. Forms nearly always go before screens, and urgent forms (those that may carry files, and votes) do
 * not wait for their neighbourhood's others.
 */
export function createRenderTurns() {
  const runInTurn = createFairQueue(8, {
    forms: { ...COMMON_LIMITS, weight: 1_000, cap: { maxConcurrent: 2, restMs: () => MAX_REST_MS } },
    screens: {
      ...COMMON_LIMITS,
      weight: 1,
      cap: { maxConcurrent: 2, restMs: (workedMs) => Math.min(3 * workedMs, MAX_REST_MS) },
    },
  })

  return async (
    { client, isRead, isUrgent }: { client: string; isRead: boolean; isUrgent: boolean },
    render: () => Promise<Response>,
  ): Promise<Response> => {
    const neighbourhood = neighbourhoodOf(client)
    try {
      if (isRead) return await runInTurn('screens', neighbourhood, render)
      await runInTurn('forms', isUrgent ? `${neighbourhood} first` : neighbourhood, async () => {})
    } catch (error) {
      if (error instanceof OverloadedError) return busyResponse(isRead)
      throw error
    }
    return render()
  }
}

/** The busy page has its style within itself, since it must come without a further request. */
const BUSY_STYLE = `body{display:grid;align-content:center;min-height:100svh;margin:0;padding:0 max(1.25rem,8vw);background:radial-gradient(120vw 90vh at 80% 0,#3b0d22,transparent 65%),#0a0608;color:#f7f0e6;font:1.125rem/1.6 system-ui,sans-serif}
body:before,body:after{content:"";position:fixed;left:0;right:0;height:34px;background:radial-gradient(circle at 22px 15px,#fff4d2 0 2.6px,#ffcd808c 3.6px,#ffa05a29 9px,transparent 15px) 50% 0/44px 34px repeat-x,linear-gradient(#d9b25f59,#d9b25f59) 0 14.5px/100% 1px no-repeat}
body:before{top:12vh}body:after{bottom:12vh}
h1{margin:0;font:400 clamp(2.6rem,9vw,5rem)/1.05 Didot,"Bodoni MT","Bodoni 72",Georgia,serif;text-wrap:balance}
p{max-width:30em;margin:1.4rem 0 0;text-wrap:balance}`
const BUSY_STYLE_HASH = createHash('sha256').update(BUSY_STYLE).digest('base64')

/** Returns the busy page. It reloads by itself or, after a form, says that the form was not received. */
function busyResponse(isRead: boolean): Response {
  const advice = isRead
    ? 'Esta página vuelve a intentarlo sola en unos segundos.'
    : 'Tu envío no se recibió: regresa y envíalo de nuevo en un momento.'
  const page = `<!doctype html><html lang="es-MX"><head><meta charset="utf-8"><title>Hay mucha gente a la vez</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="dark"><style>${BUSY_STYLE}</style></head>
<body><h1>Hay mucha gente a la vez</h1><p>Desde tu red se piden muchas páginas en este momento. ${advice}</p></body></html>`
  return new Response(page, {
    status: 503,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; style-src 'sha256-${BUSY_STYLE_HASH}'; frame-ancestors 'none'`,
      'retry-after': String(RETRY_SECONDS),
      ...(isRead && { refresh: String(RETRY_SECONDS) }),
    },
  })
}
