import { retryWaitMs, type WaitReason } from './retry-wait.ts'
import type { UploadProgress } from './upload-progress.ts'

/** Pause before the next try while the browser reports no connection, since navigator.onLine may be false on a working one. */
const OFFLINE_RETRY_MS = 15_000

/** Waits for a time, but only until the connection comes back. @throws the signal's reason */
function waitUntilOnline(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const finishWith = (settle: () => void) => () => {
      clearTimeout(timer)
      removeEventListener('online', wake)
      signal.removeEventListener('abort', abort)
      settle()
    }
    const wake = finishWith(resolve)
    const abort = finishWith(() => reject(signal.reason))
    const timer = setTimeout(wake, ms)
    addEventListener('online', wake)
    signal.addEventListener('abort', abort)
    if (signal.aborted) abort()
  })
}

/**
 * Waits before the next try, and reports the reason, which without a connection is `offline`.
 * @param attempt number of the try that has just failed, from 0
 * @throws the signal's reason
 */
export function waitBeforeRetry(
  attempt: number,
  reason: WaitReason,
  progress: Pick<UploadProgress, 'onWaiting'>,
  signal: AbortSignal,
  retryAfterSeconds?: number,
): Promise<void> {
  if (!navigator.onLine) {
    progress.onWaiting('offline')
    return waitUntilOnline(OFFLINE_RETRY_MS, signal)
  }
  progress.onWaiting(reason)
  return waitUntilOnline(retryWaitMs(attempt, reason, retryAfterSeconds), signal)
}
