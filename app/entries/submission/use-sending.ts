import { useEffect, useRef, useState } from 'react'
import type { WaitReason } from '#app/core/uploads/retry-wait.ts'
import type { UploadProgress } from '#app/core/uploads/upload-progress.ts'
import { lazyCode } from '#app/ui/deferred/lazy-code.ts'
import type { FolioResult, RegistrationResult } from './schema.ts'
import type { Sending, SendOutcome } from './send.client.ts'

/** Code that sends, loaded when a file is chosen, or at the latest when a submission is sent. */
const UPLOADER = lazyCode(() => import('./send.client.ts'))

export const preloadUploader = UPLOADER.preload

/** Sends a submission. @param onUploadUrl called when an upload gets its URL, or with undefined when it has to begin anew */
type Deliver = <Result extends FolioResult | RegistrationResult>(
  sending: Sending,
  onUploadUrl: UploadProgress['onUploadUrl'],
) => Promise<SendOutcome<Result>>

/** Sends submissions of both forms and of the folio's page, one at a time, with progress, reasons for waits, and `stop`. */
export function useSending() {
  const [isSending, setIsSending] = useState(false)
  const [waitReason, setWaitReason] = useState<WaitReason>()
  const [sentBytesById, setSentBytesById] = useState<Readonly<Record<string, number>>>({})
  /** This is a ref instead of a state, since the second press of a double click may come before the next render. */
  const abortController = useRef<AbortController>(undefined)
  useEffect(() => () => abortController.current?.abort(), [])

  /** Runs `work`, which prepares a submission, delivers it and handles the outcome, unless a sending is under way. */
  async function send(work: (deliver: Deliver) => Promise<void>) {
    if (abortController.current) return
    const controller = new AbortController()
    const { signal } = controller
    abortController.current = controller
    const progress: Omit<UploadProgress, 'onUploadUrl'> = {
      onSent: (id, sentBytes) => setSentBytesById((previous) => ({ ...previous, [id]: sentBytes })),
      onReceived: () => setWaitReason(undefined),
      onWaiting: setWaitReason,
    }
    try {
      await work(async (sending, onUploadUrl) => {
        if (signal.aborted) return { status: 'stopped' }
        setIsSending(true)
        return loadAndSend(sending, { ...progress, onUploadUrl }, signal)
      })
    } finally {
      abortController.current = undefined
      setIsSending(false)
    }
  }

  return {
    isSending,
    waitReason,
    sentBytesById,
    send,
    /** Stops the sending; uploaded bytes stay, so that the next press resumes. */
    stop: () => abortController.current?.abort(),
  }
}

/** Loads the code that sends, and sends; an abort becomes the outcome `stopped`. */
async function loadAndSend<Result extends RegistrationResult | FolioResult>(
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
