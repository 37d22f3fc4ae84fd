import type { ClaseDeArchivo } from '#app/cms/media/file-rules.ts'
import { dropUploadOf } from '#app/core/uploads/drop-upload.client.ts'
import { type ArchivoPorSubir, uploadFiles } from '#app/core/uploads/resumable-upload.client.ts'
import { judge, readRetryAfter } from '#app/core/uploads/retry-policy.ts'
import { type Avance, waitForTurn } from '#app/core/uploads/retry-wait.client.ts'
import { ARCHIVOS, type ArchivoRecibido, MENSAJES, type Recepcion, SUBIDAS } from './upload-protocol.ts'

/** A file on its way into the edition. It goes on where it broke off as long as the same one is given again. */
export interface EnEnvio extends ArchivoPorSubir {
  entrega: string
  clase: ClaseDeArchivo
}

export type FinDeEnvio =
  | { ok: true; archivo: ArchivoRecibido }
  /** `seguir`: what was sent is kept, and the same can be tried again; else another file has to be chosen. */
  | { ok: false; message: string; reason: string | undefined; seguir: boolean }

/** What may be otherwise when it is tried again. */
const PASAJEROS = new Set([
  'sesion',
  'segundo',
  'permiso',
  'almacen',
  'saturado',
  'sinEspacio',
  'falla',
  'limite',
  'filtro',
])
const ANSWER_MS = 150_000

/**
 * Sends a file and has it opened. A line that is cut is waited for; what was sent is never sent again.
 * @throws what the signal was aborted with
 */
export async function enviarArchivo(envio: EnEnvio, avance: Avance, signal: AbortSignal): Promise<FinDeEnvio> {
  const no = (reason: string | undefined, message: string): FinDeEnvio => ({
    ...{ ok: false, reason, message },
    seguir: reason !== undefined && PASAJEROS.has(reason),
  })
  const headers = { 'x-entrega': envio.entrega }
  const { clase } = envio
  const metadataOf = () => ({ clase })
  const porSubir = { endpoint: SUBIDAS, headers, archivos: [envio], metadataOf, falla: MENSAJES.falla }
  for (;;) {
    const subida = await uploadFiles(porSubir, avance, signal)
    if (!subida.ok) return no(subida.reason, subida.message)
    avance.onWaiting(undefined)
    const recepcion = await open(envio, avance, signal)
    if (recepcion.ok) {
      dropUploadOf(headers, envio.url)
      return recepcion
    }
    // Swept away meanwhile, or lost with the machine's disk: it is sent once more.
    if (recepcion.reason !== 'subidaAjena' || envio.url === undefined) {
      if (!PASAJEROS.has(recepcion.reason)) envio.url = undefined
      return no(recepcion.reason, recepcion.message)
    }
    envio.url = undefined
  }
}

/** Asks until something answers: a file may be asked for again without harm. */
async function open(envio: EnEnvio, avance: Avance, signal: AbortSignal): Promise<Recepcion> {
  const subida = new URL(envio.url!, location.href).pathname.split('/').at(-1)!
  const body = new URLSearchParams({ entrega: envio.entrega, subida })
  for (let attempt = 0; ; attempt++) {
    signal.throwIfAborted()
    const response = await fetch(ARCHIVOS, {
      method: 'POST',
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
    }).catch(() => undefined)
    signal.throwIfAborted()
    const isOurs = response?.headers.get('content-type')?.startsWith('application/json')
    const recepcion = isOurs ? ((await response!.json().catch(() => undefined)) as Recepcion | undefined) : undefined
    if (recepcion) return recepcion
    const contestacion = {
      status: response?.status ?? 0,
      numero: response?.headers.get('x-request-id') ?? undefined,
      retryAfterSeconds: readRetryAfter(response?.headers.get('retry-after')),
    }
    const juicio = judge(contestacion, MENSAJES.falla)
    if (juicio.que === 'rechazo') return { ok: false, reason: juicio.reason ?? 'falla', message: juicio.message }
    if (juicio.que === 'falla' && attempt >= 2) return { ok: false, reason: 'falla', message: juicio.message }
    const espera = juicio.que === 'espera' ? juicio.espera : juicio.que
    await waitForTurn(attempt, espera, avance, signal, contestacion.retryAfterSeconds)
  }
}
