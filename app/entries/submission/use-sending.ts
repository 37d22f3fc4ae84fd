import { useEffect, useRef, useState } from 'react'
import type { WaitReason } from '#app/core/uploads/retry-wait.ts'
import type { UploadProgress } from '#app/core/uploads/upload-progress.ts'
import { lazyCode } from '#app/ui/deferred/lazy-code.ts'
import type { FolioResult, RegistrationResult } from './schema.ts'
import type { Sending, SendOutcome } from './send.client.ts'

/** The code that sends is loaded when the first file is chosen. */
const UPLOADER = lazyCode(() => import('./send.client.ts'))

export const preloadUploader = UPLOADER.preload

/** @param onUploadUrl hears that an upload got its URL, or has to begin anew (undefined) */
type Deliver = <Result extends FolioResult | RegistrationResult>(
  sending: Sending,
  onUploadUrl: UploadProgress['onUploadUrl'],
) => Promise<SendOutcome<Result>>

/** Sends for both forms and for the folio's page: one submission at a time, with its progress, its waits and a way to stop. */
export function useSending() {
  const [isSending, setIsSending] = useState(false)
  const [waitReason, setWaitReason] = useState<WaitReason>()
  const [sentBytesById, setSentBytesById] = useState<Readonly<Record<string, number>>>({})
  /** The ref is set before any render, so that the second press of a double click finds it set. */
  const sending = useRef<AbortController>(undefined)
  useEffect(() => () => sending.current?.abort(), [])

  /** Runs `work`, which prepares a submission, delivers it and handles the outcome; sending counts as under way until its end. */
  async function send(work: (deliver: Deliver) => Promise<void>) {
    if (sending.current) return
    const controller = new AbortController()
    const { signal } = controller
    sending.current = controller
    const progress: Omit<UploadProgress, 'onUploadUrl'> = {
      onSent: (id, sent) => setSentBytesById((before) => ({ ...before, [id]: sent })),
      onReceived: () => setWaitReason(undefined),
      onWaiting: setWaitReason,
    }
    try {
      await work(async (sending, onUploadUrl) => {
        if (signal.aborted) return { status: 'stopped' }
        setIsSending(true)
        return deliver(sending, { ...progress, onUploadUrl }, signal)
      })
    } finally {
      sending.current = undefined
      setIsSending(false)
    }
  }

  return {
    isSending,
    waitReason,
    sentBytesById,
    send,
    /** Stops the sending; uploaded bytes stay, and the next press resumes. */
    stop: () => sending.current?.abort(),
  }
}

/** Loads the code that sends, and sends; an abort becomes the outcome `detenido`. */
async function deliver<Result extends RegistrationResult | FolioResult>(
  sending: Sending,
  progress: UploadProgress,
  signal: AbortSignal,
): Promise<SendOutcome<Result>> {
  try {
    const uploader = await UPLOADER.fetch({ onWaiting: progress.onWaiting, signal })
    return uploader ? await uploader.sendRegistration<Result>(sending, progress, signal) : { status: 'noUploader' }
  } catch (error) {
    if (signal.aborted) return { status: 'stopped' }
    throw error
  } finally {
    progress.onWaiting(undefined)
  }
}
