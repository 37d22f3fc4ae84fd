import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type pg from 'pg'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { onRefusal } from '#app/core/http/refusal-events.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import { type DatabaseMetrics, readDataDiskSpace, readMetrics } from '#app/ops/health/metrics.server.ts'
import { runWithin, type Undo } from './undo.ts'

/** The histogram's buckets have these upper bounds. */
const BUCKETS_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
/** Figures of the database are reused for this many milliseconds. */
const FRESH_MS = 5_000
const READ_TIMEOUT_MS = 4_000

/** The prefix of a path gives the kind of a request; a request that is answered synchronously is of kind `memoria`. */
const KINDS: readonly [prefix: string, kind: string][] = [
  ['/misspopularidad/voto', 'voto'],
  ['/misspopularidad-resultados', 'resultados'],
  ['/misspopularidad', 'votacion'],
  ['/organizadores', 'panel'],
  ['/subidas', 'subida'],
  ['/registro', 'registro'],
  ['/folio', 'folio'],
  ['/jurado', 'jurado'],
  ['/final', 'final'],
  ['/assets', 'archivo'],
  ['/imagenes', 'archivo'],
  ['/descargas', 'archivo'],
  ['/entrar', 'entrada'],
  ['/cuentas', 'entrada'],
  ['/sesion', 'entrada'],
  ['/healthz', 'salud'],
  ['/readyz', 'salud'],
]
const kindOf = (url: string) => KINDS.find(([prefix]) => url.startsWith(prefix))?.[1] ?? 'otra'

const countAnswers =
  (histogram: Histogram<'clase' | 'estado'>, answer: RequestListener): RequestListener =>
  (request: IncomingMessage, response: ServerResponse) => {
    const began = performance.now()
    const note = (kind: string, status: number) =>
      histogram.observe({ clase: kind, estado: status }, (performance.now() - began) / 1_000)
    answer(request, response)
    if (response.writableEnded) note('memoria', response.statusCode)
    // The status 499, as nginx logs it, means that the visitor disconnected before there was an answer.
    else response.once('close', () => note(kindOf(request.url!), response.headersSent ? response.statusCode : 499))
  }

const DATABASE_HELP: Record<keyof DatabaseMetrics, string> = {
  votos: 'Votos guardados',
  sin_sellar: 'Votos que esperan su sello',
  sin_sellar_s: 'Edad del voto más viejo sin sello, en segundos',
  correo_en_cola: 'Mensajes que esperan salir',
  correo_mas_viejo_s: 'Edad del mensaje más viejo que espera, en segundos',
  correo_fallido: 'Mensajes que se abandonaron en la última hora',
  publicando: 'Publicaciones que se preparan',
  publicacion_fallida: 'La última publicación no se pudo preparar',
  copia_s: 'Edad del último respaldo, en segundos',
  ensayo_s: 'Edad de la última restauración de prueba, en segundos',
  fallas: 'Renglones del estado que son falla',
}

/** Creates the metrics of one process. Those of the database are read on request, and NaN where it does not answer. */
export function createRegistry(services: Services, pool: pg.Pool | undefined, undo: Undo) {
  const registry = new Registry()
  const registers = [registry]
  const requests = new Histogram({
    name: 'certamen_peticiones_segundos',
    help: 'Peticiones por clase y estado, y cuánto tardaron',
    labelNames: ['clase', 'estado'],
    buckets: BUCKETS_SECONDS,
    registers,
  })
  const requestMetrics = { around: (answer: RequestListener) => countAnswers(requests, answer) }
  collectDefaultMetrics({ register: registry })

  const refusals = new Counter({
    name: 'certamen_rechazos_total',
    help: 'Rechazos por motivo',
    labelNames: ['de', 'motivo'],
    registers,
  })
  undo.push(onRefusal(({ area, reason }) => refusals.inc({ de: area, motivo: reason })))

  let read: { at: number; values: Promise<DatabaseMetrics> } | undefined
  const values = () => {
    if (!read || performance.now() - read.at > FRESH_MS)
      read = {
        at: performance.now(),
        values: runWithin(readMetrics(services.db, services.settings.backupUrl), READ_TIMEOUT_MS),
      }
    return read.values
  }
  const up = new Gauge({
    name: 'certamen_base_responde',
    help: 'La base de datos responde',
    registers,
    async collect() {
      this.set(
        await values().then(
          () => 1,
          () => 0,
        ),
      )
    },
  })
  up.set(0)
  for (const [name, help] of Object.entries(DATABASE_HELP) as [keyof DatabaseMetrics, string][])
    new Gauge({
      name: `certamen_${name.replace(/_s$/, '_segundos')}`,
      help,
      registers,
      async collect() {
        const value = await values().then(
          (all) => all[name],
          () => null,
        )
        this.set(value === null ? Number.NaN : Number(value))
      },
    })
  new Gauge({
    name: 'certamen_disco_bytes',
    help: 'Disco de la carpeta de datos',
    labelNames: ['de'],
    registers,
    async collect() {
      const { totalBytes, freeBytes, reserveBytes } = await readDataDiskSpace(services.settings)
      this.set({ de: 'total' }, totalBytes)
      this.set({ de: 'libres' }, freeBytes)
      this.set({ de: 'piso' }, reserveBytes)
    },
  })
  if (pool)
    new Gauge({
      name: 'certamen_conexiones',
      help: 'Conexiones de este proceso a la base',
      labelNames: ['de'],
      registers,
      async collect() {
        // The pool is read after the query for metrics, which waits for a connection itself.
        await values().catch(() => {})
        this.set({ de: 'abiertas' }, pool.totalCount)
        this.set({ de: 'libres' }, pool.idleCount)
        this.set({ de: 'esperan' }, pool.waitingCount)
      },
    })
  return { registry, requestMetrics }
}

export interface Metrics {
  /** Wraps a request listener so that each answer is counted. */
  around(answer: RequestListener): RequestListener
  /** Leaves the port to the process that takes over. */
  leave(): void
  /** Takes the port again, as soon as it is free. */
  take(): void
}

const AGAIN_MS = 1_000

/**
 * Answers /metrics on METRICS_PORT, where it is set.
 * @param waits whether the port may still be another process's, which is about to leave it
 * @returns the wrapper of the site's request listener; undefined without METRICS_PORT
 * @throws StartError when the port is taken
 */
export async function startMetrics(
  services: Services,
  pool: pg.Pool | undefined,
  undo: Undo,
  waits = false,
): Promise<Metrics | undefined> {
  const { metrics } = services.settings
  if (!metrics) return undefined
  const { registry, requestMetrics } = createRegistry(services, pool, undo)
  const server = createServer((request, response) => {
    if (request.url !== '/metrics' || request.method !== 'GET') return void response.writeHead(404).end()
    registry.metrics().then(
      (text) =>
        response.writeHead(200, { 'content-type': registry.contentType, 'cache-control': 'no-store' }).end(text),
      (error: unknown) => {
        services.log.warn({ err: error }, 'metrics could not be read')
        response.writeHead(500).end()
      },
    )
  })
  server.requestTimeout = 10_000
  let next: NodeJS.Timeout | undefined
  const leave = () => {
    clearTimeout(next)
    server.closeAllConnections()
    server.close()
  }
  const listen = (refused: (error: NodeJS.ErrnoException) => void, opened: () => void) => {
    const fail = (error: NodeJS.ErrnoException) => {
      server.off('listening', open)
      refused(error)
    }
    const open = () => {
      server.off('error', fail)
      opened()
    }
    server.once('error', fail).once('listening', open).listen(metrics.port, metrics.host)
  }
  const take = () =>
    listen(
      () => {
        next = setTimeout(take, AGAIN_MS).unref()
      },
      () => {},
    )
  if (waits) take()
  else
    await new Promise<void>((resolve, reject) =>
      listen(
        (error) =>
          reject(
            new StartError(
              `No se pudo abrir METRICS_PORT=${metrics.port} en ${metrics.host} (${error.code}). Elige otro puerto.`,
            ),
          ),
        resolve,
      ),
    )
  undo.push(leave)
  return { ...requestMetrics, leave, take }
}
