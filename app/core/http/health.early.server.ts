import { sql } from 'kysely'
import { createContext } from 'react-router'
import type { EarlyRoute } from './early-route.server.ts'
import { createReadinessProbe } from './readiness-probe.server.ts'
import { textResponse } from './same-origin.server.ts'
import type { Services } from './services.server.ts'

/** Resolves to the names of the parts (database, storage) that do not answer. */
export type ReadinessProbe = () => Promise<string[]>

/** Holds the readiness probe; null while public screens are prerendered. */
export const readinessProbeContext = createContext<ReadinessProbe | null>(null)

/** Creates the process's readiness probe. All callers share it, so that database and storage are checked once for all. */
export const createServicesProbe = ({ db, storage, log }: Pick<Services, 'db' | 'storage' | 'log'>): ReadinessProbe =>
  createReadinessProbe(
    {
      'base de datos': () => sql`select 1`.execute(db),
      almacenamiento: () => storage.check(),
    },
    (error, part) => log.warn({ err: error, parte: part }, 'not ready'),
  )

/** Liveness probe. It checks neither database nor storage, since pages in memory need neither. */
export const livenessRoute: EarlyRoute = {
  paths: ['/healthz'],
  methods: ['GET'],
  answer: async () => textResponse('ok', 200, { 'cache-control': 'no-store' }),
}

/** Readiness probe. Its response names database or storage if they do not answer. */
export const readinessRoute: EarlyRoute = {
  paths: ['/readyz'],
  methods: ['GET'],
  async answer(_request, context) {
    const missingParts = (await context.get(readinessProbeContext)?.()) ?? []
    const isReady = missingParts.length === 0
    const message = isReady ? 'ok' : `no listo: ${missingParts.join(', ')}`
    return textResponse(message, isReady ? 200 : 503, { 'cache-control': 'no-store' })
  },
}
