import { retryWaitMs, type WaitReason } from './retry-wait.ts'

export interface UploadListeners {
  /** Reports where the file is uploaded to; undefined: the upload begins anew. */
  onUploadUrl(id: string, url: string | undefined): void
  /** Reports the bytes of the file that have left this device. */
  onSent(id: string, bytes: number): void
  /** Reports that the server has the whole file. */
  onReceived(id: string): void
  /** Reports why nothing moves; undefined: files move again. */
  onWaiting(reason: WaitReason | undefined): void
}

/**
 * While the browser reports no connection, the next try comes after this time, since navigator.onLine may be false on a working
 * connection.
 */
const OFFLINE_PROBE_MS = 15_000

/** Waits, and ends early when the connection comes back. @throws the signal's reason */
function waitOrWakeOnline(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const finishWith = (settle: () => void) => () => {
      clearTimeout(timer)
      removeEventListener('online', wake)
      signal.removeEventListener('abort', stop)
      settle()
    }
    const wake = finishWith(resolve)
    const stop = finishWith(() => reject(signal.reason))
    const timer = setTimeout(wake, ms)
    addEventListener('online', wake)
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
  })
}

/** Waits before the next try, and reports the reason. @param attempt the number of the try that has just failed, from 0 */
export function waitBeforeRetry(
  attempt: number,
  reason: WaitReason,
  listeners: Pick<UploadListeners, 'onWaiting'>,
  signal: AbortSignal,
  retryAfterSeconds?: number,
): Promise<void> {
  if (!navigator.onLine) {
    listeners.onWaiting('offline')
    return waitOrWakeOnline(OFFLINE_PROBE_MS, signal)
  }
  listeners.onWaiting(reason)
  return waitOrWakeOnline(retryWaitMs(attempt, reason, retryAfterSeconds), signal)
}
