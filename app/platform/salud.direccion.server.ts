import { sql } from 'kysely'
import type { Direccion } from './direccion.server.ts'
import { sentence } from './origen.server.ts'
import { type Services, servicesOf } from './services.server.ts'
import { createSonda } from './sonda.server.ts'

/** Tells whoever watches over the machine that the site serves: pages from memory need neither database nor storage. */
export const vive: Direccion = {
  paths: ['/healthz'],
  methods: ['GET'],
  answer: async () => sentence('ok', 200, { 'cache-control': 'no-store' }),
}

const sondas = new WeakMap<Services, () => Promise<string[]>>()

/** The process's one probe of what the site stands on. */
function sondaOf(services: Services): () => Promise<string[]> {
  const { db, storage, log } = services
  const parts = {
    'base de datos': () => sql`select 1`.execute(db),
    almacenamiento: () => storage.check(),
  }
  const sonda =
    sondas.get(services) ?? createSonda(parts, (error, parte) => log.warn({ err: error, parte }, 'not ready'))
  sondas.set(services, sonda)
  return sonda
}

/** Tells whoever watches over the machine whether database and storage answer, and which of them does not. */
export const lista: Direccion = {
  paths: ['/readyz'],
  methods: ['GET'],
  async answer(_request, context) {
    const faltan = await sondaOf(servicesOf(context).services)()
    const [words, status] =
      faltan.length === 0 ? (['ok', 200] as const) : ([`no listo: ${faltan.join(', ')}`, 503] as const)
    return sentence(words, status, { 'cache-control': 'no-store' })
  },
}
