import { useEffect, useRef, useState } from 'react'
import type { Progress } from '#app/core/uploads/retry-wait.client.ts'
import type { Waiting } from '#app/core/uploads/retry-wait.ts'
import { lazyCode } from '#app/ui/loading/lazy-code.ts'
import type { FolioResult, RegistrationResult } from './schema.ts'
import type { Sending, SendOutcome } from './send.client.ts'

/** What sends comes with the first file chosen: until then nobody needs it. */
const UPLOADER = lazyCode(() => import('./send.client.ts'))

export const warmUp = UPLOADER.ahead

interface Task<Result> {
  /** What is sent, once it has been looked at; undefined: nothing is, and whoever looked has said why. */
  prepare(): Sending | undefined | Promise<Sending | undefined>
  /** An upload begins at this address, or has to begin anew. */
  onUrl(id: string, url: string | undefined): void
  /** Still on its way until this is through. */
  onFin(fin: SendOutcome<Result>): void | Promise<void>
}

/** What both forms and the folio's page send with: one thing at a time, its progress, what it waits for, a way to stop. */
export function useSending() {
  const [inProgress, setEnCurso] = useState(false)
  const [wait, setEspera] = useState<Waiting>()
  /** Bytes on their way, by file. */
  const [bytes, setBytes] = useState<Readonly<Record<string, number>>>({})
  /** Set before any render, so that the second press of a double click already finds it. */
  const sending = useRef<AbortController>(undefined)
  useEffect(() => () => sending.current?.abort(), [])

  async function send<Result extends RegistrationResult | FolioResult>(task: Task<Result>) {
    if (sending.current) return
    const controller = new AbortController()
    sending.current = controller
    try {
      const sending = await task.prepare()
      if (!sending || controller.signal.aborted) return
      setEnCurso(true)
      const progress: Progress = {
        onUrl: task.onUrl,
        onSent: (id, sent) => setBytes((before) => ({ ...before, [id]: sent })),
        onReceived: () => setEspera(undefined),
        onWaiting: setEspera,
      }
      const fin = await deliver<Result>(sending, progress, controller.signal)
      await task.onFin(fin)
    } finally {
      sending.current = undefined
      setEnCurso(false)
    }
  }

  return {
    enCurso: inProgress,
    espera: wait,
    bytes,
    send,
    /** What was sent stays; the next press goes on from there. */
    stop: () => sending.current?.abort(),
  }
}

/** Sends with what is fetched for it. */
async function deliver<Result extends RegistrationResult | FolioResult>(
  sending: Sending,
  progress: Progress,
  signal: AbortSignal,
): Promise<SendOutcome<Result>> {
  try {
    const uploader = await UPLOADER.fetch({ onWaiting: progress.onWaiting, signal })
    return uploader ? await uploader.sendRegistration<Result>(sending, progress, signal) : { estado: 'sinCargador' }
  } catch (error) {
    if (signal.aborted) return { estado: 'detenido' }
    throw error
  } finally {
    progress.onWaiting(undefined)
  }
}
