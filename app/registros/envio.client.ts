import type { DetailedError, HttpResponse, Upload } from 'tus-js-client'
import type { ClaseDocumento, LadoCredencial } from '#app/inscripciones/clases.ts'
import {
  MENSAJES,
  type MotivoRechazo,
  type RechazoSubida,
  type ResultadoFolio,
  type ResultadoRegistro,
} from './schema.ts'

/**
 * As measured: 60 MB over 5 Mbps with five cuts sends 0.9 % too much (1.2 % with pieces of 256 KB), and at 150 ms of
 * delay takes 9 % longer than the line itself (31 % with 256 KB). A larger piece would be refused by nginx as it comes
 * (client_max_body_size 1m), and lost whole behind a proxy that hands on complete requests only.
 */
const PIECE_BYTES = 1_048_576
const PARALLEL_FILES = 2
/** No byte moved for so long: the connection is dead, whatever the system says. */
const STALL_MS = 30_000
const ANSWER_MS = 60_000
const BACKOFF_MS = [500, 1_000, 2_000, 4_000, 8_000, 15_000]
/** The system's word for «offline» is not always true; look for ourselves now and then. */
const OFFLINE_PROBE_MS = 15_000

interface ArchivoPorSubir {
  id: string
  clase: ClaseDocumento
  lado: LadoCredencial | undefined
  file: File
  /** Where its upload goes on; absent before it began. */
  url: string | undefined
}

export interface Envio {
  /** Where the data go. */
  destino: string
  entrega: string
  archivos: ArchivoPorSubir[]
  /** Read when the files are up: what was corrected meanwhile counts. */
  valores: () => Record<string, string>
  /** Of the entry, when it is a document of it that was asked for again. */
  folio?: string
}

export type Espera = 'sinConexion' | 'reintentando' | 'ocupado'

export interface Avance {
  onUrl(id: string, url: string | undefined): void
  /** Bytes of the file that have left this device. */
  onSent(id: string, bytes: number): void
  onReceived(id: string): void
  /** Nothing moves, and why; undefined: it moves again. */
  onWaiting(why: Espera | undefined): void
}

export type FinEnvio<Resultado> =
  | { estado: 'respuesta'; resultado: Resultado }
  /** Refused before the registration was looked at: one file (the others keep what they have sent), or the request. */
  | { estado: 'rechazo'; archivo: string | undefined; reason: MotivoRechazo | undefined; message: string }
  /** The uploader cannot be had (a new version of the site, a meddling proxy): the plain form is the way. */
  | { estado: 'sinCargador' }
  /** By its signal: what was sent stays, and the next call goes on from there. */
  | { estado: 'detenido' }

type FinSubida = { ok: true } | { ok: false; archivo: string; reason: MotivoRechazo | undefined; message: string }

const isDetailed = (error: unknown): error is DetailedError => error instanceof Error && 'originalRequest' in error

/** A pause that ends early when the connection comes back. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (settle: () => void) => () => {
      clearTimeout(timer)
      removeEventListener('online', wake)
      signal.removeEventListener('abort', stop)
      settle()
    }
    const wake = done(resolve)
    const stop = done(() => reject(signal.reason))
    const timer = setTimeout(wake, ms)
    addEventListener('online', wake)
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
  })
}

/** @param response what the site answered, when it did */
async function waitForTurn(attempt: number, avance: Avance, signal: AbortSignal, response?: HttpResponse | null) {
  if (!navigator.onLine) {
    avance.onWaiting('sinConexion')
    return pause(OFFLINE_PROBE_MS, signal)
  }
  avance.onWaiting(response?.getStatus() === 429 ? 'ocupado' : 'reintentando')
  const backoff = BACKOFF_MS[Math.min(attempt, BACKOFF_MS.length - 1)]!
  const asked = 1_000 * Number(response?.getHeader('retry-after') ?? 0)
  return pause(Math.max(asked, backoff * (0.75 + Math.random() / 2)), signal)
}

/** A phone may take a chosen file back (cloud albums do); trying again would never end. */
const isReadable = (file: File) =>
  file
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    )

function rejectionOf(response: HttpResponse): RechazoSubida | undefined {
  try {
    const body: unknown = JSON.parse(response.getBody())
    if (typeof body !== 'object' || body === null || !('reason' in body) || !('message' in body)) return undefined
    return body as RechazoSubida
  } catch {
    return undefined
  }
}

/** One attempt to bring a file to its end from wherever it stands. */
function carry(
  tus: typeof import('tus-js-client'),
  archivo: ArchivoPorSubir,
  { entrega, folio }: Envio,
  avance: Avance,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let stall: ReturnType<typeof setTimeout>
    const alive = () => {
      clearTimeout(stall)
      stall = setTimeout(() => interrupt(new Error('stalled')), STALL_MS)
    }
    const finish = (settle: () => void) => {
      clearTimeout(stall)
      signal.removeEventListener('abort', stop)
      removeEventListener('offline', cut)
      settle()
    }
    const interrupt = (reason: unknown) =>
      finish(() => {
        void upload.abort()
        reject(reason)
      })
    const stop = () => interrupt(signal.reason)
    const cut = () => interrupt(new Error('offline'))

    const upload: Upload = new tus.Upload(archivo.file, {
      // Without an endpoint a refused resumption is reported, instead of silently sending everything again.
      ...(archivo.url ? { uploadUrl: archivo.url } : { endpoint: new URL('/subidas', location.href).href }),
      headers: { 'x-entrega': entrega },
      metadata: {
        clase: archivo.clase,
        ...(archivo.lado ? { lado: archivo.lado } : {}),
        filename: archivo.file.name,
        filetype: archivo.file.type,
        ...(folio ? { folio } : {}),
      },
      chunkSize: PIECE_BYTES,
      retryDelays: null,
      storeFingerprintForResuming: false,
      onUploadUrlAvailable() {
        alive()
        if (upload.url && upload.url !== archivo.url) {
          archivo.url = upload.url
          avance.onUrl(archivo.id, archivo.url)
        }
      },
      onProgress(sent) {
        alive()
        avance.onSent(archivo.id, sent)
      },
      onChunkComplete: () => avance.onWaiting(undefined),
      onSuccess: () => finish(resolve),
      onError: (error) => finish(() => reject(error)),
    })
    if (signal.aborted) return reject(signal.reason)
    signal.addEventListener('abort', stop)
    addEventListener('offline', cut)
    alive()
    upload.start()
  })
}

/** Brings one file up, however often the connection breaks. */
async function uploadArchivo(
  tus: typeof import('tus-js-client'),
  archivo: ArchivoPorSubir,
  envio: Envio,
  avance: Avance,
  signal: AbortSignal,
): Promise<FinSubida> {
  let attempt = 0
  let furthest = 0
  const watched: Avance = {
    ...avance,
    onSent(id, bytes) {
      if (bytes > furthest) {
        furthest = bytes
        attempt = 0
      }
      avance.onSent(id, bytes)
    },
  }
  const refused = (message: string, reason?: MotivoRechazo): FinSubida => ({
    ok: false,
    archivo: archivo.id,
    reason,
    message,
  })
  for (;;) {
    try {
      await carry(tus, archivo, envio, watched, signal)
      avance.onReceived(archivo.id)
      return { ok: true }
    } catch (error) {
      signal.throwIfAborted()
      const response = isDetailed(error) ? error.originalResponse : null
      const status = response?.getStatus() ?? 0
      const rejection = response ? rejectionOf(response) : undefined
      if (status === 0 && !(await isReadable(archivo.file))) {
        return refused(`Ya no podemos leer el archivo "${archivo.file.name}". Elígelo otra vez.`)
      }
      if (archivo.url && (status === 404 || status === 410)) {
        // Swept away, or begun under another entrega: this file starts again.
        archivo.url = undefined
        furthest = 0
        avance.onUrl(archivo.id, undefined)
        avance.onSent(archivo.id, 0)
      } else if (isFinal(status, rejection)) {
        return refused(rejection?.message ?? MENSAJES.peticion, rejection?.reason)
      }
      await waitForTurn(attempt++, avance, signal, response)
    }
  }
}

/** A limit passes with time and an offset is asked for again; what the server says of the file itself stands. */
const isFinal = (status: number, rejection: RechazoSubida | undefined) =>
  status === 507 ||
  (isRefusal(status) && (status !== 409 || (rejection !== undefined && rejection.reason !== 'subidaDesfasada')))

const PASSING = new Set([408, 423, 425, 429])
const isRefusal = (status: number) => status >= 400 && status < 500 && !PASSING.has(status)

/** Two files at a time; the first refusal stops the rest where they are. */
async function uploadAll(
  tus: typeof import('tus-js-client'),
  envio: Envio,
  avance: Avance,
  signal: AbortSignal,
): Promise<FinSubida> {
  const queue = [...envio.archivos]
  const rest = new AbortController()
  const stop = () => rest.abort(signal.reason)
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  let refusal: FinSubida = { ok: true }
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const outcome = await uploadArchivo(tus, next, envio, avance, rest.signal)
      if (!outcome.ok) {
        refusal = outcome
        rest.abort(new DOMException('Another file was refused', 'AbortError'))
        return
      }
    }
  }
  await Promise.allSettled(Array.from({ length: PARALLEL_FILES }, work))
  signal.removeEventListener('abort', stop)
  signal.throwIfAborted()
  return refusal
}

const LOAD_ATTEMPTS = 4

/** The uploader comes with the first file chosen; over a bad connection even that may take several tries. */
async function loadTus(avance: Avance, signal: AbortSignal) {
  for (let failures = 0; ; ) {
    try {
      return await import('tus-js-client')
    } catch {
      if (navigator.onLine) failures++
      if (failures === LOAD_ATTEMPTS) return undefined
      await waitForTurn(failures, avance, signal)
    }
  }
}

/** Fetches the uploader ahead of its use; a failure is left to the moment of need. */
export const warmUp = () => void import('tus-js-client').catch(() => {})

/** Tells the server that a file will not be needed after all. What it does not hear, its sweep makes up for. */
export function dropUpload(entrega: string, url: string | undefined): void {
  if (!url) return
  const headers = { 'x-entrega': entrega, 'tus-resumable': '1.0.0' }
  fetch(url, { method: 'DELETE', headers, keepalive: true }).catch(() => {})
}

function formOf({ entrega, archivos, valores }: Envio) {
  const documentos: Partial<Record<ClaseDocumento, string[]>> = {}
  for (const { clase, url } of archivos) {
    documentos[clase] ??= []
    documentos[clase].push(new URL(url!, location.href).pathname.split('/').at(-1)!)
  }
  return new URLSearchParams({ ...valores(), entrega, documentos: JSON.stringify(documentos) })
}

/** One try to hand the registration in; undefined when no answer of ours came back, a sentence when it never will. */
async function post<Resultado extends ResultadoRegistro | ResultadoFolio>(
  destino: string,
  body: URLSearchParams,
  signal: AbortSignal,
): Promise<Resultado | string | undefined> {
  const attempt = new AbortController()
  const stop = () => attempt.abort(signal.reason)
  signal.addEventListener('abort', stop)
  const timer = setTimeout(stop, ANSWER_MS)
  try {
    const response = await fetch(destino, { method: 'POST', body, signal: attempt.signal })
    if (response.headers.get('content-type')?.startsWith('application/json')) {
      const resultado = (await response.json()) as Resultado
      // Another process has it in hand, or had: it is asked again until that is known.
      return !resultado.ok && resultado.reason === 'guardando' ? undefined : resultado
    }
    return isRefusal(response.status) ? MENSAJES.peticion : undefined
  } catch {
    return undefined
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}

/**
 * Sends a registration, or one document that was asked for again: its files, then its data. Goes on by itself for as
 * long as the page is open, and keeps the screen on meanwhile; an answer that got lost is asked for again under the same
 * entrega, which makes it the same registration.
 */
export async function sendRegistro<Resultado extends ResultadoRegistro | ResultadoFolio>(
  envio: Envio,
  avance: Avance,
  signal: AbortSignal,
): Promise<FinEnvio<Resultado>> {
  const letSleep = stayAwake()
  try {
    return await bring<Resultado>(envio, avance, signal)
  } catch (error) {
    if (signal.aborted) return { estado: 'detenido' }
    throw error
  } finally {
    letSleep()
    avance.onWaiting(undefined)
  }
}

async function bring<Resultado extends ResultadoRegistro | ResultadoFolio>(
  envio: Envio,
  avance: Avance,
  signal: AbortSignal,
): Promise<FinEnvio<Resultado>> {
  const tus = await loadTus(avance, signal)
  if (!tus) return { estado: 'sinCargador' }
  const subida = await uploadAll(tus, envio, avance, signal)
  if (!subida.ok) {
    const { archivo, reason, message } = subida
    return { estado: 'rechazo', archivo, reason, message }
  }
  for (let attempt = 0; ; attempt++) {
    signal.throwIfAborted()
    const resultado = await post<Resultado>(envio.destino, formOf(envio), signal)
    signal.throwIfAborted()
    if (resultado !== undefined) {
      return typeof resultado === 'string'
        ? { estado: 'rechazo', archivo: undefined, reason: undefined, message: resultado }
        : { estado: 'respuesta', resultado }
    }
    await waitForTurn(attempt, avance, signal)
  }
}

/** A phone that falls asleep stops sending. Not to be had everywhere, never needed. */
function stayAwake(): () => void {
  let lock: Promise<WakeLockSentinel | undefined> | undefined
  // The system takes it back whenever the page is hidden.
  const ask = () => {
    if (document.visibilityState === 'visible') lock = navigator.wakeLock?.request('screen').catch(() => undefined)
  }
  ask()
  document.addEventListener('visibilitychange', ask)
  return () => {
    document.removeEventListener('visibilitychange', ask)
    void lock?.then((held) => held?.release())
  }
}
