import { useCallback, useEffect, useRef, useState } from 'react'
import { painted } from './after-paint.ts'

/** Tries before it is given up: over a bad connection even a small file may take several. */
const TRIES = 4
const PAUSES_MS = [500, 2_000, 4_000]
/** The system's word for «offline» is not always true: it is looked for ourselves now and then. */
const OFFLINE_PROBE_MS = 15_000

/** Why it did not come yet. */
type DelayReason = 'sinConexion' | 'reintentando'

interface Patience {
  /** It is tried again. */
  onWaiting?: (why: DelayReason) => void
  signal?: AbortSignal
}

/** Code that comes when somebody reaches for it, so that it delays no first view. */
export interface LazyCode<Code> {
  /** Undefined until it is there. */
  now(): Code | undefined
  /** Fetches it ahead of its use; a failure is left to the moment of need. */
  ahead(): void
  /** Fetches it where something else is at hand at once. @throws where it cannot be had */
  load(): Promise<Code>
  /**
   * Fetches it where everything waits for it, with several tries.
   * @returns undefined where it cannot be had: a new version of the site, a meddling proxy
   * @throws what the signal was aborted with
   */
  fetch(patience?: Patience): Promise<Code | undefined>
}

export function lazyCode<Code>(load: () => Promise<Code>): LazyCode<Code> {
  let code: Code | undefined
  let coming: Promise<Code> | undefined
  /** All who ask are answered in the order in which they asked. */
  const loadOnce = () =>
    // To ask for it takes a while itself, and the touch that asks is answered first.
    (coming ??= painted()
      .then(load)
      .then(
        (loaded) => (code = loaded),
        (error) => {
          coming = undefined
          throw error
        },
      ))
  return {
    now: () => code,
    ahead: () => void loadOnce().catch(() => {}),
    load: loadOnce,
    async fetch({ onWaiting, signal } = {}) {
      for (let failures = 0; ; ) {
        signal?.throwIfAborted()
        try {
          return await loadOnce()
        } catch {
          const isOnline = navigator.onLine
          if (isOnline && ++failures === TRIES) return undefined
          onWaiting?.(isOnline ? 'reintentando' : 'sinConexion')
          await pause(isOnline ? PAUSES_MS[failures - 1]! : OFFLINE_PROBE_MS, signal)
        }
      }
    },
  }
}

/** A pause that ends early when the connection comes back, or with the signal. */
const pause = (ms: number, signal?: AbortSignal) =>
  new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer)
      removeEventListener('online', done)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    addEventListener('online', done)
    signal?.addEventListener('abort', done)
  })

/** What tells of somebody who does more than look at what came. */
const SIGNS = ['scroll', 'pointermove', 'pointerdown', 'keydown']

/** Fetches it ahead once the screen has been there for a while, and somebody has gone into it. */
export function useAhead({ ahead }: LazyCode<unknown>, afterMs: number, isWanted = true): void {
  useEffect(() => {
    if (!isWanted) return
    const waiting = new AbortController()
    const go = () => {
      waiting.abort()
      ahead()
    }
    const later = setTimeout(() => {
      if (scrollY > 0) return go()
      for (const sign of SIGNS) addEventListener(sign, go, { passive: true, signal: waiting.signal })
    }, afterMs)
    return () => {
      clearTimeout(later)
      waiting.abort()
    }
  }, [ahead, afterMs, isWanted])
}

/** What a screen has of it that does without at first. */
export interface LazyCodeState<Code> {
  /** Undefined until it is there. */
  codigo: Code | undefined
  /** Why it is not; undefined while it has only just been asked for, or nobody reached for it. */
  falta: DelayReason | 'noLlega' | undefined
  reach(): void
}

export function useLazyCode<Code>({ now, fetch }: LazyCode<Code>): LazyCodeState<Code> {
  const [code, setCodigo] = useState(now)
  const [missing, setFalta] = useState<LazyCodeState<Code>['falta']>()
  const reaching = useRef<AbortController>(undefined)
  useEffect(() => () => reaching.current?.abort(), [])
  const reach = useCallback(() => {
    if (reaching.current) return
    reaching.current = new AbortController()
    const { signal } = reaching.current
    setFalta(undefined)
    fetch({ onWaiting: setFalta, signal }).then(
      (fetched) => {
        if (fetched) return setCodigo(fetched)
        // Whoever reaches for it once more has it tried once more.
        reaching.current = undefined
        setFalta('noLlega')
      },
      // The screen has gone.
      () => {},
    )
  }, [fetch])
  return { codigo: code, falta: missing, reach }
}
