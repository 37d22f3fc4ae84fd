import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type pg from 'pg'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { onRefusal } from '#app/core/http/refusal-events.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import { type DatabaseMetrics, readDataDiskSpace, readMetrics } from '#app/ops/health/metrics.server.ts'
import { runWithin, type Undo } from './undo.ts'

const BUCKETS_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
/** Time for which metrics of the database are reused. */
const REUSE_MS = 5_000
const READ_TIMEOUT_MS = 4_000

/**
 * Kinds of requests by prefix of the path; the first match counts. A request that is answered synchronously has the kind
 * `memoria`.
 */
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

const observeResponses =
  (histogram: Histogram<'clase' | 'estado'>, answer: RequestListener): RequestListener =>
  (request: IncomingMessage, response: ServerResponse) => {
    const startMs = performance.now()
    const observe = (kind: string, status: number) =>
      histogram.observe({ clase: kind, estado: status }, (performance.now() - startMs) / 1_000)
    answer(request, response)
    if (response.writableEnded) observe('memoria', response.statusCode)
    // Status 499, as nginx logs it: the connection closed before the response.
    else response.once('close', () => observe(kindOf(request.url!), response.headersSent ? response.statusCode : 499))
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

/**
 * Creates the metrics of a process. Metrics of the database are read on request. If the database does not answer, they are NaN, and
 * `certamen_base_responde` is 0. An age without a row is NaN, too.
 */
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
  const requestMetrics = { around: (answer: RequestListener) => observeResponses(requests, answer) }
  collectDefaultMetrics({ register: registry })

  const refusals = new Counter({
    name: 'certamen_rechazos_total',
    help: 'Rechazos por motivo',
    labelNames: ['de', 'motivo'],
    registers,
  })
  undo.push(onRefusal(({ area, reason }) => refusals.inc({ de: area, motivo: reason })))

  let latestReading: { readAtMs: number; values: Promise<DatabaseMetrics> } | undefined
  const readValues = () => {
    if (!latestReading || performance.now() - latestReading.readAtMs > REUSE_MS)
      latestReading = {
        readAtMs: performance.now(),
        values: runWithin(readMetrics(services.db, services.settings.backupUrl), READ_TIMEOUT_MS),
      }
    return latestReading.values
  }
  const databaseGauge = new Gauge({
    name: 'certamen_base_responde',
    help: 'La base de datos responde',
    registers,
    async collect() {
      this.set(
        await readValues().then(
          () => 1,
          () => 0,
        ),
      )
    },
  })
  databaseGauge.set(0)
  for (const [name, help] of Object.entries(DATABASE_HELP) as [keyof DatabaseMetrics, string][])
    new Gauge({
      name: `certamen_${name.replace(/_s$/, '_segundos')}`,
      help,
      registers,
      async collect() {
        const value = await readValues().then(
          (values) => values[name],
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
        // The pool is read after the query for metrics, which itself takes a connection.
        await readValues().catch(() => {})
        this.set({ de: 'abiertas' }, pool.totalCount)
        this.set({ de: 'libres' }, pool.idleCount)
        this.set({ de: 'esperan' }, pool.waitingCount)
      },
    })
  return { registry, requestMetrics }
}

export interface Metrics {
  /** Wraps a request listener so that each response is observed. */
  around(answer: RequestListener): RequestListener
  /** Leaves the port to the process that takes over. */
  leavePort(): void
  /** Takes the port again, as soon as it is free. */
  takePort(): void
}

/** Interval of the attempts to take the port while another process still has it. */
const RETRY_MS = 1_000

/**
 * Serves /metrics on METRICS_PORT.
 * @param waitsForPort whether another process, which is about to leave the port, may still have it
 * @returns undefined without METRICS_PORT
 * @throws StartError if the port cannot be opened, unless `waitsForPort`
 */
export async function startMetrics(
  services: Services,
  pool: pg.Pool | undefined,
  undo: Undo,
  waitsForPort = false,
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
  let retryTimer: NodeJS.Timeout | undefined
  const leavePort = () => {
    clearTimeout(retryTimer)
    server.closeAllConnections()
    server.close()
  }
  const listen = (onError: (error: NodeJS.ErrnoException) => void, onListening: () => void) => {
    const fail = (error: NodeJS.ErrnoException) => {
      server.off('listening', succeed)
      onError(error)
    }
    const succeed = () => {
      server.off('error', fail)
      onListening()
    }
    server.once('error', fail).once('listening', succeed).listen(metrics.port, metrics.host)
  }
  const takePort = () =>
    listen(
      () => {
        retryTimer = setTimeout(takePort, RETRY_MS).unref()
      },
      () => {},
    )
  if (waitsForPort) takePort()
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
  undo.push(leavePort)
  return { ...requestMetrics, leavePort, takePort }
}
