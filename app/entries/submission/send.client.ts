import {
  type ArchivoPorSubir,
  type FinSubida,
  isReadable,
  uploadFiles,
  yaNoSeLee,
} from '#app/core/uploads/resumable-upload.client.ts'
import {
  type Contestacion,
  FILTRO,
  isToBeSaid,
  type Juicio,
  judge,
  readRetryAfter,
  SIN_FALLAS,
  withFalla,
} from '#app/core/uploads/retry-policy.ts'
import { type Avance, waitForTurn } from '#app/core/uploads/retry-wait.client.ts'
import type { ClaseDocumento, LadoCredencial } from '#app/entries/definitions/document-kinds.ts'
import { fallaDeRegistro, type MotivoRechazo, type ResultadoFolio, type ResultadoRegistro } from './schema.ts'
import { ownerOf } from './upload.client.ts'

/** No byte left, and none came, for so long: there is no answer to wait for. */
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

/** The form with its files, as a browser without JavaScript sends it: the most ordinary request there is. */
function wholeFormOf({ entrega, archivos, valores }: Envio) {
  const form = new FormData()
  for (const [name, value] of Object.entries({ entrega, ...valores() })) form.set(name, value)
  for (const { clase, file } of archivos) form.append(clase, file, file.name)
  return form
}

/** One try to hand the form in: what the site made of it, or what came back instead. @param onSent told of bytes that have left */
async function post<Resultado extends ResultadoRegistro | ResultadoFolio>(
  destino: string,
  body: URLSearchParams | FormData,
  onSent: (bytes: number) => void,
  signal: AbortSignal,
): Promise<{ resultado: Resultado } | { contestacion: Contestacion }> {
  const response = await request(destino, body, onSent, signal)
  const contestacion: Contestacion = {
    status: response.status,
    numero: response.getResponseHeader('x-request-id') ?? undefined,
    retryAfterSeconds: readRetryAfter(response.getResponseHeader('retry-after')),
  }
  const resultado = resultadoOf<Resultado>(response)
  if (!resultado) return { contestacion }
  if (resultado.ok || !NO_ANSWER.has(resultado.reason)) return { resultado }
  const isBusy = response.status === 429
  // Another process that has it in hand is soon done: its minute is for forms without JavaScript.
  const retryAfterSeconds = isBusy ? contestacion.retryAfterSeconds : undefined
  return { contestacion: { ...contestacion, rechazo: resultado, retryAfterSeconds } }
}

/** Undefined for what the site did not say: a page of another's, or the half of an answer. */
function resultadoOf<Resultado>(response: XMLHttpRequest): Resultado | undefined {
  try {
    const said: unknown = JSON.parse(response.responseText)
    return typeof said === 'object' && said !== null && 'ok' in said ? (said as Resultado) : undefined
  } catch {
    return undefined
  }
}

/** Goes on for as long as bytes leave, which fetch does not tell of. Its status is 0 where nothing came back. */
const request = (
  destino: string,
  body: URLSearchParams | FormData,
  onSent: (bytes: number) => void,
  signal: AbortSignal,
) =>
  new Promise<XMLHttpRequest>((resolve) => {
    const asked = new XMLHttpRequest()
    const stop = () => asked.abort()
    let timer = setTimeout(stop, ANSWER_MS)
    asked.upload.onprogress = ({ loaded }) => {
      clearTimeout(timer)
      timer = setTimeout(stop, ANSWER_MS)
      onSent(loaded)
    }
    asked.onloadend = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      resolve(asked)
    }
    signal.addEventListener('abort', stop)
    asked.open('POST', destino)
    asked.send(body)
  })

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
  let isWhole = false
  const rechazoOf = ({ reason, message }: { reason: string | undefined; message: string }, archivo?: string) =>
    ({ estado: 'rechazo', archivo, reason: reason as MotivoRechazo | undefined, message }) as const
  for (let cuts = 0; ; ) {
    // A fault of the site may have cost it what was uploaded: the files are asked for first. Where only something in
    // front of it spoke, the form may have been taken, and its uploads be gone for that.
    const subida: FinSubida = mayBeTaken ? TODO_SUBIDO : await uploadAll(envio, avance, signal)
    // What lets no pieces through may well let through a form with its files.
    if (!mayBeTaken) isWhole = !subida.ok && subida.reason === FILTRO.reason
    if (!subida.ok && !isWhole) return rechazoOf(subida, subida.archivo)
    const answer: Contestado<Resultado> = await (isWhole
      ? handInWhole<Resultado>(envio, avance, signal)
      : handIn<Resultado>(envio, avance, signal))
    if ('resultado' in answer) return { estado: 'respuesta', resultado: answer.resultado }
    if (answer.que === 'rechazo') return rechazoOf(answer)
    if (answer.que === 'ilegible') return rechazoOf({ reason: undefined, message: answer.message }, answer.archivo)
    if (answer.que === 'espera') {
      mayBeTaken = false
      await waitForTurn(cuts++, answer.espera, avance, signal, answer.retryAfterSeconds)
      continue
    }
    fallas = withFalla(fallas, performance.now())
    if (isToBeSaid(fallas, performance.now())) return rechazoOf({ reason: 'falla', message: answer.message })
    mayBeTaken = !answer.isOfTheSite
    await waitForTurn(fallas.count - 1, 'falla', avance, signal)
  }
}

type Contestado<Resultado> =
  | { resultado: Resultado }
  | (Juicio & { retryAfterSeconds?: number | undefined })
  | { que: 'ilegible'; archivo: string; message: string }

/** Hands the form in until something answers; nothing is uploaded anew meanwhile, since it may have been taken. */
async function handIn<Resultado extends ResultadoRegistro | ResultadoFolio>(
  envio: Envio,
  avance: Avance,
  signal: AbortSignal,
): Promise<{ resultado: Resultado } | Exclude<Juicio, { que: 'espera' }>> {
  for (let attempt = 0; ; attempt++) {
    signal.throwIfAborted()
    const answer = await post<Resultado>(envio.destino, formOf(envio), () => {}, signal)
    signal.throwIfAborted()
    if ('resultado' in answer) return answer
    const juicio = judge(answer.contestacion, fallaDeRegistro)
    if (juicio.que !== 'espera') return juicio
    await waitForTurn(attempt, juicio.espera, avance, signal, answer.contestacion.retryAfterSeconds)
  }
}

/** Hands the form in with its files, once: what is cut would begin again, and in pieces it may go through by then. */
async function handInWhole<Resultado extends ResultadoRegistro | ResultadoFolio>(
  envio: Envio,
  avance: Avance,
  signal: AbortSignal,
): Promise<Contestado<Resultado>> {
  for (const { id, file } of envio.archivos)
    if (!(await isReadable(file))) return { que: 'ilegible', archivo: id, message: yaNoSeLee(file) }
  avance.onWaiting('entero')
  const tell = (sent: number) => {
    let before = 0
    for (const { id, file } of envio.archivos) {
      avance.onSent(id, Math.max(0, Math.min(sent - before, file.size)))
      before += file.size
    }
  }
  const answer = await post<Resultado>(envio.destino, wholeFormOf(envio), tell, signal)
  signal.throwIfAborted()
  if ('resultado' in answer) return answer
  const juicio = judge(answer.contestacion, fallaDeRegistro)
  const { status, retryAfterSeconds } = answer.contestacion
  // Not even this: what is in the way is said for as long as it is.
  return status === 0 ? { que: 'espera', espera: 'filtro' } : { ...juicio, retryAfterSeconds }
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
