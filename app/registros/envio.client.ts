import type { ClaseDocumento, LadoCredencial } from '#app/inscripciones/clases.ts'
import { type Avance, waitForTurn } from '#app/platform/espera.client.ts'
import { type Contestacion, isToBeSaid, judge, readRetryAfter, SIN_FALLAS, withFalla } from '#app/platform/reintento.ts'
import { type ArchivoPorSubir, type FinSubida, uploadFiles } from '#app/platform/subida.client.ts'
import { fallaDeRegistro, type MotivoRechazo, type ResultadoFolio, type ResultadoRegistro } from './schema.ts'
import { ownerOf } from './subida.client.ts'

const ANSWER_MS = 60_000
/** What passes by itself: nothing was looked at yet. */
const NO_ANSWER: ReadonlySet<MotivoRechazo> = new Set(['guardando', 'falla', 'limite', 'saturado'])
const TODO_SUBIDO = { ok: true } as const

interface DocumentoPorSubir extends ArchivoPorSubir {
  clase: ClaseDocumento
  lado: LadoCredencial | undefined
}

/** One submission on its way. */
export interface Envio {
  entrega: string
  archivos: DocumentoPorSubir[]
  /** Of the entry, when it is a document of it that was asked for again. */
  folio?: string
  /** Where the data go. */
  destino: string
  /** Read when the files are up: what was corrected meanwhile counts. */
  valores: () => Record<string, string>
}

export type FinEnvio<Resultado> =
  | { estado: 'respuesta'; resultado: Resultado }
  /**
   * Not taken, and no registration was looked at: one file was refused (the others keep what they have sent), or the
   * request, or a fault of ours did not pass (reason «falla», its number in the message).
   */
  | { estado: 'rechazo'; archivo: string | undefined; reason: MotivoRechazo | undefined; message: string }
  /** The uploader cannot be had (a new version of the site, a meddling proxy): the plain form is the way. */
  | { estado: 'sinCargador' }
  /** By its signal: what was sent stays, and the next call goes on from there. */
  | { estado: 'detenido' }

/** Brings the files of a submission up. */
const uploadAll = ({ entrega, archivos, folio }: Envio, avance: Avance, signal: AbortSignal): Promise<FinSubida> =>
  uploadFiles(
    {
      endpoint: '/subidas',
      headers: ownerOf(entrega),
      archivos,
      metadataOf: ({ clase, lado }) => ({ clase, ...(lado ? { lado } : {}), ...(folio ? { folio } : {}) }),
      falla: fallaDeRegistro,
    },
    avance,
    signal,
  )

function formOf({ entrega, archivos, valores }: Envio) {
  const documentos: Partial<Record<ClaseDocumento, string[]>> = {}
  for (const { clase, url } of archivos) {
    documentos[clase] ??= []
    documentos[clase].push(new URL(url!, location.href).pathname.split('/').at(-1)!)
  }
  return new URLSearchParams({ ...valores(), entrega, documentos: JSON.stringify(documentos) })
}

/** One try to hand the form in: what the site made of it, or what came back instead. */
async function post<Resultado extends ResultadoRegistro | ResultadoFolio>(
  destino: string,
  body: URLSearchParams,
  signal: AbortSignal,
): Promise<{ resultado: Resultado } | { contestacion: Contestacion }> {
  const attempt = new AbortController()
  const stop = () => attempt.abort(signal.reason)
  signal.addEventListener('abort', stop)
  const timer = setTimeout(stop, ANSWER_MS)
  try {
    const response = await fetch(destino, { method: 'POST', body, signal: attempt.signal })
    const contestacion: Contestacion = {
      status: response.status,
      numero: response.headers.get('x-request-id') ?? undefined,
      retryAfterSeconds: readRetryAfter(response.headers.get('retry-after')),
    }
    if (!response.headers.get('content-type')?.startsWith('application/json')) return { contestacion }
    const resultado = (await response.json()) as Resultado
    if (resultado.ok || !NO_ANSWER.has(resultado.reason)) return { resultado }
    const isBusy = response.status === 429
    // Another process that has it in hand is soon done: its minute is for forms without JavaScript.
    const retryAfterSeconds = isBusy ? contestacion.retryAfterSeconds : undefined
    return { contestacion: { ...contestacion, rechazo: resultado, retryAfterSeconds } }
  } catch {
    return { contestacion: { status: 0 } }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}

/**
 * Sends a registration, or one document that was asked for again: its files, then its data. Goes on by itself for as
 * long as the page is open, and keeps the screen on meanwhile; an answer that got lost is asked for again under the same
 * entrega, which makes it the same registration. A fault of ours is said when it does not pass (see judge).
 * @throws what the signal was aborted with
 */
export async function sendRegistro<Resultado extends ResultadoRegistro | ResultadoFolio>(
  envio: Envio,
  avance: Avance,
  signal: AbortSignal,
): Promise<FinEnvio<Resultado>> {
  const letSleep = stayAwake()
  try {
    return await bring<Resultado>(envio, avance, signal)
  } finally {
    letSleep()
  }
}

async function bring<Resultado extends ResultadoRegistro | ResultadoFolio>(
  envio: Envio,
  avance: Avance,
  signal: AbortSignal,
): Promise<FinEnvio<Resultado>> {
  let fallas = SIN_FALLAS
  let mayBeTaken = false
  for (;;) {
    // A fault of the site may have cost it what was uploaded: the files are asked for first. Where only something in
    // front of it spoke, the form may have been taken, and its uploads be gone for that.
    const subida = mayBeTaken ? TODO_SUBIDO : await uploadAll(envio, avance, signal)
    if (!subida.ok) {
      const { archivo, reason, message } = subida
      return { estado: 'rechazo', archivo, reason: reason as MotivoRechazo | undefined, message }
    }
    const answer = await handIn<Resultado>(envio, avance, signal)
    if ('resultado' in answer) return { estado: 'respuesta', resultado: answer.resultado }
    if (answer.que === 'rechazo')
      return {
        estado: 'rechazo',
        archivo: undefined,
        reason: answer.reason as MotivoRechazo | undefined,
        message: answer.message,
      }
    fallas = withFalla(fallas, performance.now())
    if (isToBeSaid(fallas, performance.now()))
      return { estado: 'rechazo', archivo: undefined, reason: 'falla', message: answer.message }
    mayBeTaken = !answer.isOfTheSite
    await waitForTurn(fallas.count - 1, 'falla', avance, signal)
  }
}

/** Hands the form in until something answers; nothing is uploaded anew meanwhile, since it may have been taken. */
async function handIn<Resultado extends ResultadoRegistro | ResultadoFolio>(
  envio: Envio,
  avance: Avance,
  signal: AbortSignal,
): Promise<{ resultado: Resultado } | Exclude<ReturnType<typeof judge>, { que: 'espera' }>> {
  for (let attempt = 0; ; attempt++) {
    signal.throwIfAborted()
    const answer = await post<Resultado>(envio.destino, formOf(envio), signal)
    signal.throwIfAborted()
    if ('resultado' in answer) return answer
    const juicio = judge(answer.contestacion, fallaDeRegistro)
    if (juicio.que !== 'espera') return juicio
    await waitForTurn(attempt, juicio.espera, avance, signal, answer.contestacion.retryAfterSeconds)
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
