import { sql } from 'kysely'
import type { Direccion } from './direccion.server.ts'
import { sentence } from './origen.server.ts'
import { servicesOf } from './services.server.ts'

const READY_TIMEOUT_MS = 2_000

/** Tells whoever watches over the machine that the site serves. */
export const vive: Direccion = {
  paths: ['/healthz'],
  methods: ['GET'],
  answer: async () => sentence('ok', 200, { 'cache-control': 'no-store' }),
}

/** Tells whoever watches over the machine whether database and storage answer. */
export const lista: Direccion = {
  paths: ['/readyz'],
  methods: ['GET'],
  async answer(_request, context) {
    const { db, storage, log } = servicesOf(context).services
    const ready = await withTimeout(Promise.all([sql`select 1`.execute(db), storage.check()])).then(
      () => true,
      (error) => {
        log.warn({ err: error }, 'not ready')
        return false
      },
    )
    return sentence(ready ? 'ok' : 'no listo', ready ? 200 : 503, { 'cache-control': 'no-store' })
  },
}

const withTimeout = <T>(work: Promise<T>): Promise<T> =>
  Promise.race([
    work,
    new Promise<never>((_, reject) => {
      setTimeout(() => reject(new Error(`no answer within ${READY_TIMEOUT_MS} ms`)), READY_TIMEOUT_MS).unref()
    }),
  ])
