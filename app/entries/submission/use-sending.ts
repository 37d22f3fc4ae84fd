import { useEffect, useRef, useState } from 'react'
import type { Avance } from '#app/core/uploads/retry-wait.client.ts'
import type { Espera } from '#app/core/uploads/retry-wait.ts'
import { herramienta } from '#app/ui/loading/lazy-code.ts'
import type { ResultadoFolio, ResultadoRegistro } from './schema.ts'
import type { Envio, FinEnvio } from './send.client.ts'

/** What sends comes with the first file chosen: until then nobody needs it. */
const CARGADOR = herramienta(() => import('./send.client.ts'))

export const warmUp = CARGADOR.ahead

interface Encargo<Resultado> {
  /** What is sent, once it has been looked at; undefined: nothing is, and whoever looked has said why. */
  prepare(): Envio | undefined | Promise<Envio | undefined>
  /** An upload begins at this address, or has to begin anew. */
  onUrl(id: string, url: string | undefined): void
  /** Still on its way until this is through. */
  onFin(fin: FinEnvio<Resultado>): void | Promise<void>
}

/** What both forms and the folio's page send with: one thing at a time, its progress, what it waits for, a way to stop. */
export function useEnvio() {
  const [enCurso, setEnCurso] = useState(false)
  const [espera, setEspera] = useState<Espera>()
  /** Bytes on their way, by file. */
  const [bytes, setBytes] = useState<Readonly<Record<string, number>>>({})
  /** Set before any render, so that the second press of a double click already finds it. */
  const sending = useRef<AbortController>(undefined)
  useEffect(() => () => sending.current?.abort(), [])

  async function send<Resultado extends ResultadoRegistro | ResultadoFolio>(encargo: Encargo<Resultado>) {
    if (sending.current) return
    const controller = new AbortController()
    sending.current = controller
    try {
      const envio = await encargo.prepare()
      if (!envio || controller.signal.aborted) return
      setEnCurso(true)
      const avance: Avance = {
        onUrl: encargo.onUrl,
        onSent: (id, sent) => setBytes((before) => ({ ...before, [id]: sent })),
        onReceived: () => setEspera(undefined),
        onWaiting: setEspera,
      }
      const fin = await deliver<Resultado>(envio, avance, controller.signal)
      await encargo.onFin(fin)
    } finally {
      sending.current = undefined
      setEnCurso(false)
    }
  }

  return {
    enCurso,
    espera,
    bytes,
    send,
    /** What was sent stays; the next press goes on from there. */
    stop: () => sending.current?.abort(),
  }
}

/** Sends with what is fetched for it. */
async function deliver<Resultado extends ResultadoRegistro | ResultadoFolio>(
  envio: Envio,
  avance: Avance,
  signal: AbortSignal,
): Promise<FinEnvio<Resultado>> {
  try {
    const cargador = await CARGADOR.fetch({ onWaiting: avance.onWaiting, signal })
    return cargador ? await cargador.sendRegistro<Resultado>(envio, avance, signal) : { estado: 'sinCargador' }
  } catch (error) {
    if (signal.aborted) return { estado: 'detenido' }
    throw error
  } finally {
    avance.onWaiting(undefined)
  }
}
