import { useEffect, useRef, useState } from 'react'
import type { Progress } from '#app/core/uploads/retry-wait.client.ts'
import type { Waiting } from '#app/core/uploads/retry-wait.ts'
import { lazyCode } from '#app/ui/deferred/lazy-code.ts'
import type { FolioResult, RegistrationResult } from './schema.ts'
import type { Sending, SendOutcome } from './send.client.ts'

/** Code that sends, loaded with the first chosen file. */
const UPLOADER = lazyCode(() => import('./send.client.ts'))

export const warmUp = UPLOADER.ahead

interface Task<Result> {
  /** Checks and builds the submission; undefined when it is refused, with the reason already shown. */
  prepare(): Sending | undefined | Promise<Sending | undefined>
  /** An upload got its URL, or has to begin anew (undefined). */
  onUrl(id: string, url: string | undefined): void
  /** Handles the outcome; sending counts as under way until then. */
  onEnd(outcome: SendOutcome<Result>): void | Promise<void>
}

/** Sender of both forms and of the folio's page: one submission at a time, its progress, its waits, a way to stop. */
export function useSending() {
  const [inProgress, setInProgress] = useState(false)
  const [wait, setWait] = useState<Waiting>()
  /** Bytes sent, by the id of their file. */
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
      setInProgress(true)
      const progress: Progress = {
        onUrl: task.onUrl,
        onSent: (id, sent) => setBytes((before) => ({ ...before, [id]: sent })),
        onReceived: () => setWait(undefined),
        onWaiting: setWait,
      }
      const outcome = await deliver<Result>(sending, progress, controller.signal)
      await task.onEnd(outcome)
    } finally {
      sending.current = undefined
      setInProgress(false)
    }
  }

  return {
    isSending: inProgress,
    waiting: wait,
    bytes,
    send,
    /** Uploaded bytes stay; the next press resumes. */
    stop: () => sending.current?.abort(),
  }
}

/** Loads the code that sends, and sends. */
async function deliver<Result extends RegistrationResult | FolioResult>(
  sending: Sending,
  progress: Progress,
  signal: AbortSignal,
): Promise<SendOutcome<Result>> {
  try {
    const uploader = await UPLOADER.fetch({ onWaiting: progress.onWaiting, signal })
    return uploader ? await uploader.sendRegistration<Result>(sending, progress, signal) : { status: 'sinCargador' }
  } catch (error) {
    if (signal.aborted) return { status: 'detenido' }
    throw error
  } finally {
    progress.onWaiting(undefined)
  }
}
