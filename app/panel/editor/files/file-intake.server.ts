import { createContext, type RouterContextProvider } from 'react-router'
import { CLASES_DE_ARCHIVO, type ClaseDeArchivo, isClaseDeArchivo, refuseTamano } from '#app/cms/media/file-rules.ts'
import { recibirArchivo } from '#app/cms/media/receive-file.server.ts'
import { asRechazo, Rechazo } from '#app/core/http/refusal.server.ts'
import type { RequestFacts, Services } from '#app/core/http/services.server.ts'
import { withoutUnseen } from '#app/core/text/typed-text.ts'
import { isUuid } from '#app/core/text/uuid.ts'
import type { Limites } from '#app/core/uploads/quota.server.ts'
import { keyOf, openStagingArea, type StagingDe } from '#app/core/uploads/staging-area.server.ts'
import { type Anunciado, createTus } from '#app/core/uploads/tus-protocol.server.ts'
import { MENSAJES, type Recepcion, SUBIDAS, statusOf } from './upload-protocol.ts'

/** A committee's afternoon of photographs and videos, many times over; the disk's floor holds besides. */
const LIMITES: Limites = {
  maxStagedBytes: 4 * 1024 ** 3,
  maxStagedBytesPerClient: 2 * 1024 ** 3,
  maxDayBytes: 8 * 1024 ** 3,
  maxCreations: 600,
  maxSubmissions: 600,
  reservaMs: 5 * 60_000,
}
/** Files that one field of one open page sends. */
const MAX_UPLOADS = 24
const MAX_NOMBRE = 255
const SWEEP_EVERY_MS = 15 * 60_000
const RETRY_SECONDS = 60

interface Datos {
  clase: ClaseDeArchivo
}

/** What receives the organisers' files for the edition: one in a process. */
export interface RecepcionDeArchivos {
  /** Answers everything under SUBIDAS. @param quien the organiser's account, whose uploads are its own */
  handle(request: Request, facts: RequestFacts, quien: string): Promise<Response>
  /**
   * Opens a file that came whole, and keeps it. It stays on the way for a day, so that asking again after an answer that
   * got lost, or after a storage that was away, sends nothing again.
   */
  receive(quien: string, sent: { entrega: unknown; subida: unknown }, facts: RequestFacts): Promise<Recepcion>
  /** Goes on sweeping what nobody went on with. @returns stops it */
  startSweeping(): () => void
}

const areaOf = (services: Services, idleMs: number | undefined): Promise<StagingDe<Datos, ClaseDeArchivo>> =>
  openStagingArea<Datos, ClaseDeArchivo>(services, {
    de: 'edicion',
    antes: 'staging-edicion',
    limites: LIMITES,
    maxBytes: Math.max(...Object.values(CLASES_DE_ARCHIVO).map(({ maxBytes }) => maxBytes)),
    maxUploads: MAX_UPLOADS,
    idleMs,
    ocupado: () => new Rechazo('saturado', MENSAJES.saturado, RETRY_SECONDS),
    checkedFileName({ clase, filename, size }) {
      const nombre = withoutUnseen(filename.toWellFormed().replace(/\p{Cc}/gu, '')).slice(-MAX_NOMBRE) || 'archivo'
      const message = refuseTamano(clase, nombre, size ?? 0)
      if (message) throw new Rechazo(size === 0 ? 'archivoVacio' : 'archivoGrande', message)
      return nombre
    },
    // What it is, whoever opens it says.
    checkedContent: async (_file, { clase }) => clase,
  })

/** Opens the reception of this process. */
export async function createRecepcion(services: Services, idleMs?: number): Promise<RecepcionDeArchivos> {
  const staging = await areaOf(services, idleMs)
  const keyFor = (quien: string, entrega: string) => keyOf(`edicion:${quien}:${entrega}`)
  const handle = createTus(services, {
    path: SUBIDAS,
    staging,
    keyOf(request, quien) {
      const entrega = request.headers.get('x-entrega')
      if (!isUuid(entrega) && request.method !== 'OPTIONS') throw new Rechazo('entrega', MENSAJES.peticion)
      return keyFor(quien, entrega ?? '')
    },
    begin: async (anunciado) => readMetadata(anunciado),
    metadataOf: ({ clase }) => ({ clase }),
    statusOf,
    messageOf: (reason) => PALABRAS[reason],
    falla: MENSAJES.falla,
  })

  async function receive(
    quien: string,
    { entrega, subida }: { entrega: unknown; subida: unknown },
    { id: errorId }: RequestFacts,
  ): Promise<Recepcion> {
    const no = (reason: string, message: string): Recepcion => ({ ok: false, reason, message })
    if (!isUuid(entrega) || !isUuid(subida)) return no('peticion', MENSAJES.peticion)
    const key = keyFor(quien, entrega)
    try {
      return await staging.exclusively(key, async () => {
        const { clase, filename } = await staging.seal(key, subida)
        const received = await staging.withFile(key, subida, (file) =>
          recibirArchivo(services, { clase, file, nombre: filename }),
        )
        if (received.ok) return { ok: true, archivo: received.archivo }
        // It would be refused again.
        await staging.remove(key, subida)
        return received
      })
    } catch (error) {
      const refusal = asRechazo(error)
      if (refusal) return no(refusal.reason, PALABRAS[refusal.reason] ?? refusal.message)
      services.log.error({ id: errorId, err: error }, 'a file of the edition could not be kept')
      return no('almacen', MENSAJES.almacen(errorId))
    }
  }

  async function sweep() {
    await staging.takeOver()
    await staging.sweep(new Set())
  }

  return {
    handle,
    receive,
    startSweeping() {
      const timer = setInterval(() => {
        sweep().catch((error) => services.log.error({ err: error }, 'the sweep failed'))
      }, SWEEP_EVERY_MS)
      timer.unref()
      return () => clearInterval(timer)
    },
  }
}

/** Where the organisers are told otherwise than whoever registers. */
const PALABRAS: Partial<Record<string, string>> = {
  peticion: MENSAJES.peticion,
  entrega: MENSAJES.peticion,
  subidasDemasiadas: MENSAJES.demasiadas,
  sinEspacio: MENSAJES.sinEspacio,
  saturado: MENSAJES.saturado,
}

const METADATA: ReadonlySet<string> = new Set(['clase', 'filename', 'filetype'])

/** @throws Rechazo peticion for what no field sends */
function readMetadata({ metadata, size }: Anunciado): Datos & { filename: string; size: number } {
  const { clase, filename } = metadata ?? {}
  const isKnown = Object.keys(metadata ?? {}).every((key) => METADATA.has(key))
  if (!isKnown || !isClaseDeArchivo(clase) || !filename || size === undefined)
    throw new Rechazo('peticion', MENSAJES.peticion)
  return { clase, filename, size }
}

/** Unset while public screens are rendered ahead. */
export const recepcionContext = createContext<RecepcionDeArchivos | null>(null)

/** What receives the organisers' files. */
export function recepcionOf(context: Readonly<RouterContextProvider>): RecepcionDeArchivos {
  const recepcion = context.get(recepcionContext)
  if (!recepcion) throw new Error('This address receives files; it cannot be rendered ahead')
  return recepcion
}
