import { isUuid } from '#app/core/text/uuid.ts'
import { keyOf } from '#app/core/uploads/staging-area.server.ts'
import { type Anunciado, createTus, type RecibirSubidas } from '#app/core/uploads/tus-protocol.server.ts'
import { FORMAS } from '#app/entries/definitions/both-forms.ts'
import { CLASES_DOCUMENTO, type ClaseDocumento, claseOf } from '#app/entries/definitions/document-kinds.ts'
import { findByFolio } from '#app/entries/folio.server.ts'
import { readFolio } from '#app/entries/folio.ts'
import { refuseCerrado } from './data.server.ts'
import { recoverEntregas } from './journal.server.ts'
import type { Mesa } from './plan.server.ts'
import { Rechazo } from './refusal.server.ts'
import { MENSAJES, type MotivoRechazo, statusOf } from './schema.ts'
import type { SubidaNueva } from './staging.server.ts'

const SWEEP_EVERY_MS = 15 * 60_000
/** So long a registration waits at most whose process was killed, and whose visitor has gone. */
const SETTLE_EVERY_MS = 60_000

export interface Subidas {
  /** Answers everything under /subidas, for the owner of each upload only. */
  handle: RecibirSubidas
  /** Before the site serves: settles what a crash interrupted and sweeps what is too old. */
  recover(): Promise<void>
  /** Goes on settling and sweeping by itself. @returns stops it */
  startSweeping(): () => void
}

/** Reception of files for the registrations of a running site. @source D16 */
export function createSubidas(mesa: Mesa): Subidas {
  const { services, staging } = mesa

  async function requireOpen(clase: ClaseDocumento) {
    const closed = await refuseCerrado(services, FORMAS[claseOf(clase).de])
    if (closed) throw closed
  }

  /** Whether the organisers ask for this document again, of the entry whose folio comes with it. */
  async function isPedida({ clase, lado }: SubidaNueva, folio: string | null | undefined, client: string) {
    if (!folio) return false
    // Else folios could be tried here without end.
    await staging.presupuesto.countCreation(client)
    const found = await findByFolio(services.db, readFolio(folio) ?? '')
    return found?.vista.solicitudes.some((one) => one.clase === clase && one.lado === lado) ?? false
  }

  const handle = createTus(services, {
    path: '/subidas',
    staging,
    keyOf(request) {
      const entrega = request.headers.get('x-entrega')
      if (!isUuid(entrega) && request.method !== 'OPTIONS') throw new Rechazo('entrega', MENSAJES.peticion)
      return keyOf(entrega ?? '')
    },
    async begin(anunciado, { client }) {
      const nueva = readMetadata(anunciado)
      const pedida = await isPedida(nueva, anunciado.metadata?.folio, client)
      if (!pedida) await requireOpen(nueva.clase)
      return { ...nueva, pedida }
    },
    async goOn({ pedida, clase }) {
      if (!pedida) await requireOpen(clase)
    },
    metadataOf: ({ clase, lado }) => ({ clase, ...(lado && { lado }) }),
    statusOf: (reason) => statusOf(reason as MotivoRechazo),
    falla: MENSAJES.falla,
  })

  async function sweep() {
    await staging.takeOver()
    const unsettled = await recoverEntregas(mesa)
    const removed = await staging.sweep(unsettled)
    if (removed > 0) services.log.info({ removed }, 'staged uploads swept')
  }

  return {
    handle,
    recover: sweep,

    startSweeping() {
      const every = (ms: number, work: () => Promise<unknown>) =>
        setInterval(() => {
          work().catch((error) => services.log.error({ err: error }, 'the sweep failed'))
        }, ms).unref()
      const settle = async () => {
        await staging.takeOver()
        await recoverEntregas(mesa)
      }
      const timers = [every(SWEEP_EVERY_MS, sweep), every(SETTLE_EVERY_MS, settle)]
      return () => timers.forEach(clearInterval)
    },
  }
}

const METADATA: ReadonlySet<string> = new Set(['clase', 'lado', 'filename', 'filetype', 'folio'])

/** @throws Rechazo camposDesconocidos for a key that no upload has; peticion when it does not say what the file is, or leaves its length for later */
function readMetadata({ metadata, size }: Anunciado): SubidaNueva {
  if (Object.keys(metadata ?? {}).some((key) => !METADATA.has(key)))
    throw new Rechazo('camposDesconocidos', MENSAJES.camposDesconocidos)
  const clase = CLASES_DOCUMENTO.find((one) => one === metadata?.clase)
  const lado = metadata?.lado ?? null
  const sided = lado === 'anverso' || lado === 'reverso'
  if (clase === undefined || size === undefined || !metadata?.filename) throw new Rechazo('peticion', MENSAJES.peticion)
  if (lado !== null && !(sided && claseOf(clase).archivos === 2)) throw new Rechazo('peticion', MENSAJES.peticion)
  return { clase, lado: sided ? lado : null, filename: metadata.filename, size }
}
