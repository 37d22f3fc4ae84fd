import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import { DataStore, ERRORS, type Lock, type Locker, type RequestRelease, Server, Upload } from '@tus/server'
import { CLASES_DOCUMENTO, type ClaseDocumento, claseOf } from '#app/inscripciones/clases.ts'
import { findByFolio } from '#app/inscripciones/folio.server.ts'
import { FORMAS } from '#app/inscripciones/formas.ts'
import { readFolio } from '#app/inscripciones/rules.ts'
import type { RequestFacts } from '#app/platform/services.server.ts'
import { isUuid } from '#app/platform/uuid.ts'
import { refuseCerrado } from './data.server.ts'
import { recoverEntregas } from './entregas.server.ts'
import type { Mesa } from './plan.server.ts'
import { asRechazo, Rechazo, rechazoResponse } from './rechazo.server.ts'
import { MENSAJES } from './schema.ts'
import { keyOf, type Staging, type SubidaNueva } from './staging.server.ts'

const PATH = '/subidas'
const METHODS = ['POST', 'HEAD', 'PATCH', 'DELETE', 'OPTIONS']
const SWEEP_EVERY_MS = 15 * 60_000
/** What a request that a later one of the same upload pushes aside gets to write down what it has. */
const LOCK_DRAIN_MS = 500
const LOCK_WAIT_MS = 30_000

export interface Subidas {
  /** Answers everything under /subidas: tus with creation and termination, for the owner of each upload only. */
  handle(request: Request, facts: RequestFacts): Promise<Response>
  /** Before the site serves: settles what a crash interrupted and sweeps what is too old. */
  recover(): Promise<void>
  /** Goes on settling and sweeping by itself. @returns stops it */
  startSweeping(): () => void
}

/** Reception of files for the registrations of a running site. @source D16 */
export function createSubidas(mesa: Mesa): Subidas {
  const { services, staging } = mesa
  const owners = new WeakMap<Request, { key: string; facts: RequestFacts }>()
  const refusals = new WeakMap<Request, Rechazo>()
  const ownerOf = (request: Request) => {
    const owner = owners.get(request)
    if (owner === undefined) throw new Error('A request without its owner')
    return owner
  }

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

  const tus = new Server({
    path: PATH,
    datastore: new StagingStore(staging, requireOpen),
    locker: new TurnLocker(),
    lockDrainTimeout: LOCK_DRAIN_MS,
    allowedOrigins: () => false,
    // The store knows an upload as <key of its submission>.<id>: with someone else's submission, an id leads nowhere.
    namingFunction: (request) => `${ownerOf(request).key}.${randomUUID()}`,
    getFileIdFromRequest: (request, id) => (isUuid(id) ? `${ownerOf(request).key}.${id}` : undefined),
    generateUrl: (_request, { id }) => `${PATH}/${splitName(id).id}`,
    async onUploadCreate(request, upload) {
      const { key, id } = splitName(upload.id)
      const nueva = readMetadata(upload)
      const { client } = ownerOf(request).facts
      const pedida = await isPedida(nueva, upload.metadata?.folio, client)
      if (!pedida) await requireOpen(nueva.clase)
      await staging.create(key, { ...nueva, pedida }, client, id)
      return {}
    },
    async onUploadFinish(_request, upload) {
      const { key, id } = splitName(upload.id)
      await staging.seal(key, id)
      return {}
    },
    onResponseError(request, error) {
      const { facts } = ownerOf(request)
      const refusal = refusalOf(error)
      if (refusal === undefined) services.log.error({ id: facts.id, err: error }, 'an upload could not be received')
      refusals.set(request, refusal ?? new Rechazo('falla', MENSAJES.falla(facts.id)))
      return undefined
    },
  })

  async function sweep() {
    const unsettled = await recoverEntregas(mesa)
    const removed = await staging.sweep(unsettled)
    if (removed > 0) services.log.info({ removed }, 'staged uploads swept')
  }

  return {
    async handle(request, facts) {
      if (!METHODS.includes(request.method))
        return rechazoResponse(new Rechazo('metodo', MENSAJES.peticion), new Headers({ allow: METHODS.join(', ') }))
      const entrega = request.headers.get('x-entrega')
      if (!isUuid(entrega) && request.method !== 'OPTIONS')
        return rechazoResponse(new Rechazo('entrega', MENSAJES.peticion))

      owners.set(request, { key: keyOf(entrega ?? ''), facts })
      const response = await tus.handleWeb(request)
      // The uploads serve this site's own form; other origins are told nothing.
      for (const name of [...response.headers.keys()])
        if (name.startsWith('access-control-')) response.headers.delete(name)
      response.headers.set('cache-control', 'no-store')
      if (response.status < 400) return response
      const refusal = refusals.get(request) ?? refusalOf({ status_code: response.status })
      return rechazoResponse(refusal ?? new Rechazo('falla', MENSAJES.falla(facts.id)), response.headers)
    },

    recover: sweep,

    startSweeping() {
      const timer = setInterval(() => {
        sweep().catch((error) => services.log.error({ err: error }, 'the sweep failed'))
      }, SWEEP_EVERY_MS)
      timer.unref()
      return () => clearInterval(timer)
    },
  }
}

/** An upload's name for tus: the key of its submission and its own id. */
function splitName(name: string): { key: string; id: string } {
  const [key = '', id = ''] = name.split('.')
  return { key, id }
}

const METADATA: ReadonlySet<string> = new Set(['clase', 'lado', 'filename', 'filetype', 'folio'])

/** @throws Rechazo camposDesconocidos for a key that no upload has; peticion when it does not say what the file is, or leaves its length for later */
function readMetadata({ metadata, size }: Upload): SubidaNueva {
  if (Object.keys(metadata ?? {}).some((key) => !METADATA.has(key)))
    throw new Rechazo('camposDesconocidos', MENSAJES.camposDesconocidos)
  const clase = CLASES_DOCUMENTO.find((one) => one === metadata?.clase)
  const lado = metadata?.lado ?? null
  const sided = lado === 'anverso' || lado === 'reverso'
  if (clase === undefined || size === undefined || !metadata?.filename) throw new Rechazo('peticion', MENSAJES.peticion)
  if (lado !== null && !(sided && claseOf(clase).archivos === 2)) throw new Rechazo('peticion', MENSAJES.peticion)
  return { clase, lado: sided ? lado : null, filename: metadata.filename, size }
}

/** undefined for what is no expected refusal, but a fault. */
function refusalOf(error: unknown): Rechazo | undefined {
  const refusal = asRechazo(error)
  if (refusal) return refusal
  // A body that broke off, or that a later request of the same upload pushed aside: to be resumed.
  if (error === ERRORS.ABORTED) return new Rechazo('subidaDesfasada', MENSAJES.subidaDesfasada)
  const status = (error as { status_code?: number }).status_code ?? 500
  if (status === 404 || status === 410) return new Rechazo('subidaAjena', MENSAJES.subidaAjena)
  if (status === 409) return new Rechazo('subidaDesfasada', MENSAJES.subidaDesfasada)
  if (status === 413) return new Rechazo('archivoGrande', MENSAJES.subidaLarga)
  return status < 500 || status === 501 ? new Rechazo('peticion', MENSAJES.peticion) : undefined
}

class StagingStore extends DataStore {
  override extensions = ['creation', 'creation-with-upload', 'termination']
  readonly #staging: Staging
  readonly #requireOpen: (clase: ClaseDocumento) => Promise<void>

  /** @param requireOpen throws when the form of a kind of document takes nothing (any more) */
  constructor(staging: Staging, requireOpen: (clase: ClaseDocumento) => Promise<void>) {
    super()
    this.#staging = staging
    this.#requireOpen = requireOpen
  }

  /** The upload exists since onUploadCreate, which knows who asks. */
  override async create(upload: Upload): Promise<Upload> {
    return upload
  }

  override async write(body: Readable, name: string, offset: number): Promise<number> {
    const { key, id } = splitName(name)
    const upload = await this.#staging.find(key, id)
    if (upload && !upload.pedida) await this.#requireOpen(upload.clase)
    return this.#staging.append(key, id, body, offset)
  }

  override async getUpload(name: string): Promise<Upload> {
    const { key, id } = splitName(name)
    const found = await this.#staging.find(key, id)
    // A file that a form without JavaScript is sending has no length yet, and is not for tus to go on with.
    if (found === undefined || found.size === null) throw ERRORS.FILE_NOT_FOUND
    const { clase, lado, filename, size, offset, createdAt } = found
    const metadata: Record<string, string | null> = lado ? { clase, lado, filename } : { clase, filename }
    return new Upload({ id: name, size, offset, metadata, creation_date: new Date(createdAt).toISOString() })
  }

  override async remove(name: string): Promise<void> {
    const { key, id } = splitName(name)
    if ((await this.#staging.find(key, id)) === undefined) throw ERRORS.FILE_NOT_FOUND
    await this.#staging.remove(key, id)
  }
}

interface Turn {
  requestRelease: RequestRelease
  begin(): void
}

/**
 * One request at a time an upload, in the order of arrival; whoever has the turn is asked to end when another waits.
 * The library's own MemoryLocker keeps a core busy for as long as somebody waits, and knows no order.
 */
class TurnLocker implements Locker {
  readonly #queues = new Map<string, Turn[]>()

  newLock(key: string): Lock {
    return {
      lock: (signal, requestRelease) => this.#lock(key, signal, requestRelease),
      unlock: async () => this.#next(key),
    }
  }

  async #lock(key: string, signal: AbortSignal, requestRelease: RequestRelease): Promise<void> {
    const queue = this.#queues.get(key)
    if (queue === undefined) {
      this.#queues.set(key, [{ requestRelease, begin() {} }])
      return
    }
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        clearTimeout(patience)
        signal.removeEventListener('abort', leave)
        const at = queue.indexOf(turn)
        if (at > 0) queue.splice(at, 1)
        reject(ERRORS.ABORTED)
      }
      const patience = setTimeout(leave, LOCK_WAIT_MS)
      signal.addEventListener('abort', leave)
      const turn: Turn = {
        requestRelease,
        begin() {
          clearTimeout(patience)
          signal.removeEventListener('abort', leave)
          resolve()
        },
      }
      queue.push(turn)
      void queue[0]?.requestRelease()
    })
  }

  #next(key: string): void {
    const queue = this.#queues.get(key)
    queue?.shift()
    const turn = queue?.[0]
    if (queue === undefined || turn === undefined) {
      this.#queues.delete(key)
      return
    }
    turn.begin()
    if (queue.length > 1) void turn.requestRelease()
  }
}
