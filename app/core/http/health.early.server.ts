import { sql } from 'kysely'
import { createContext } from 'react-router'
import type { EarlyRoute } from './early-route.server.ts'
import { createReadinessProbe } from './readiness-probe.server.ts'
import { sentence } from './same-origin.server.ts'
import type { Services } from './services.server.ts'

/** Asks what the site stands on; names of what does not answer. */
export type ReadinessProbe = () => Promise<string[]>

export const readinessProbeContext = createContext<ReadinessProbe | null>(null)

/** The process's one probe: anybody may ask, and however many do, database and storage are asked once. */
export const createServicesProbe = ({ db, storage, log }: Pick<Services, 'db' | 'storage' | 'log'>): ReadinessProbe =>
  createReadinessProbe(
    {
      'base de datos': () => sql`select 1`.execute(db),
      almacenamiento: () => storage.check(),
    },
    (error, parte) => log.warn({ err: error, parte }, 'not ready'),
  )

/** Tells whoever watches over the machine that the site serves: pages from memory need neither database nor storage. */
export const vive: EarlyRoute = {
  paths: ['/healthz'],
  methods: ['GET'],
  answer: async () => sentence('ok', 200, { 'cache-control': 'no-store' }),
}

/** Tells whoever watches over the machine whether database and storage answer, and which of them does not. */
export const ready: EarlyRoute = {
  paths: ['/readyz'],
  methods: ['GET'],
  async answer(_request, context) {
    const missing = (await context.get(readinessProbeContext)?.()) ?? []
    const isReady = missing.length === 0
    const words = isReady ? 'ok' : `no listo: ${missing.join(', ')}`
    return sentence(words, isReady ? 200 : 503, { 'cache-control': 'no-store' })
  },
}
