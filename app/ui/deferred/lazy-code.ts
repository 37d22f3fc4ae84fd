import { useCallback, useEffect, useRef, useState } from 'react'
import { afterNextPaint } from './after-paint.ts'

/** Number of attempts of `fetch` while the device is online: over a bad connection even a small file may need several. */
const MAX_ATTEMPTS = 4
/** Waits before the second, third and fourth attempt. */
const RETRY_DELAYS_MS = [500, 2_000, 4_000]
/** Interval of attempts while the device says that it is offline; `navigator.onLine` may be wrong. */
const OFFLINE_RETRY_MS = 15_000

/** Reason why an import waits. Uploads have further reasons (core/uploads/retry-wait.ts). */
type WaitReason = 'offline' | 'retrying'

interface FetchOptions {
  /** Is called before the wait for each further attempt. */
  onWaiting?: (reason: WaitReason) => void
  signal?: AbortSignal
}

/** Code that is imported on demand, so that it does not delay the first view. */
export interface LazyCode<Code> {
  /** Returns the code; undefined until it is loaded. */
  loaded(): Code | undefined
  /** Imports the code before it is needed. A failure is ignored, since `load` and `fetch` try again. */
  preload(): void
  /** Imports the code with one attempt, for callers that have a fallback. @throws if the import fails */
  load(): Promise<Code>
  /**
   * Imports the code with several attempts, for callers without a fallback.
   * @returns undefined after MAX_ATTEMPTS failures online, for example since a new version of the site has other files
   * @throws the signal's abort reason
   */
  fetch(options?: FetchOptions): Promise<Code | undefined>
}

export function lazyCode<Code>(load: () => Promise<Code>): LazyCode<Code> {
  let code: Code | undefined
  let pendingImport: Promise<Code> | undefined
  /** All callers share one import. */
  const loadOnce = () =>
    // Starting an import takes a while itself, so the click's feedback is painted first.
    (pendingImport ??= afterNextPaint()
      .then(load)
      .then(
        (loaded) => (code = loaded),
        (error) => {
          pendingImport = undefined
          throw error
        },
      ))
  return {
    loaded: () => code,
    preload: () => void loadOnce().catch(() => {}),
    load: loadOnce,
    async fetch({ onWaiting, signal } = {}) {
      for (let failures = 0; ; ) {
        signal?.throwIfAborted()
        try {
          return await loadOnce()
        } catch {
          const isOnline = navigator.onLine
          if (isOnline && ++failures === MAX_ATTEMPTS) return undefined
          onWaiting?.(isOnline ? 'retrying' : 'offline')
          await waitUntilOnline(isOnline ? RETRY_DELAYS_MS[failures - 1]! : OFFLINE_RETRY_MS, signal)
        }
      }
    },
  }
}

/** Waits for `ms`, or until the connection returns or the signal aborts. */
const waitUntilOnline = (ms: number, signal?: AbortSignal) =>
  new Promise<void>((resolve) => {
    const finish = () => {
      clearTimeout(timer)
      removeEventListener('online', finish)
      signal?.removeEventListener('abort', finish)
      resolve()
    }
    const timer = setTimeout(finish, ms)
    addEventListener('online', finish)
    signal?.addEventListener('abort', finish)
  })

/** Events by which a visitor uses the screen. */
const ACTIVITY_EVENTS = ['scroll', 'pointermove', 'pointerdown', 'keydown']

/**
 * Preloads code once the screen has been open for `afterMs` and the visitor has scrolled, or then uses the screen
 * (ACTIVITY_EVENTS).
 */
export function usePreload({ preload }: LazyCode<unknown>, afterMs: number, isWanted = true): void {
  useEffect(() => {
    if (!isWanted) return
    const activityAbort = new AbortController()
    const startImport = () => {
      activityAbort.abort()
      preload()
    }
    const timer = setTimeout(() => {
      if (scrollY > 0) return startImport()
      for (const eventName of ACTIVITY_EVENTS)
        addEventListener(eventName, startImport, { passive: true, signal: activityAbort.signal })
    }, afterMs)
    return () => {
      clearTimeout(timer)
      activityAbort.abort()
    }
  }, [preload, afterMs, isWanted])
}

export interface LazyCodeState<Code> {
  /** The code; undefined until it is loaded. */
  code: Code | undefined
  /** Reason why the code is missing; undefined before the first failed attempt, 'unreachable' once `fetch` has given up. */
  missingReason: WaitReason | 'unreachable' | undefined
  /** Fetches the code, unless the code is being fetched or is loaded. */
  startFetch(): void
}

export function useLazyCode<Code>({ loaded, fetch }: LazyCode<Code>): LazyCodeState<Code> {
  const [code, setCode] = useState(loaded)
  const [missingReason, setMissingReason] = useState<LazyCodeState<Code>['missingReason']>()
  const fetchAbort = useRef<AbortController>(undefined)
  useEffect(() => () => fetchAbort.current?.abort(), [])
  const startFetch = useCallback(() => {
    if (fetchAbort.current) return
    fetchAbort.current = new AbortController()
    const { signal } = fetchAbort.current
    setMissingReason(undefined)
    fetch({ onWaiting: setMissingReason, signal }).then(
      (fetchedCode) => {
        if (fetchedCode) return setCode(fetchedCode)
        // Lets a further call of `startFetch` try again.
        fetchAbort.current = undefined
        setMissingReason('unreachable')
      },
      // The abort of an unmounted component rejects the promise.
      () => {},
    )
  }, [fetch])
  return { code, missingReason, startFetch }
}
