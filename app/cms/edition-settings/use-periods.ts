import { createContext, use, useEffect, useState, useSyncExternalStore } from 'react'
import { untilNextChange } from './rules.ts'
import type { Periods, Phase, RegistrationWithPeriod } from './schema.ts'

export const REGISTRATION_FORMS: readonly { registration: RegistrationWithPeriod; path: string; label: string }[] = [
  { registration: 'candidatas', path: '/registro', label: 'Registro de candidata' },
  { registration: 'trajes', path: '/registro-traje-tipico', label: 'Registro de traje típico' },
]

/** The parts of one screen share an answer for this long. */
const SHARED_MS = 5_000
/** A random delay of up to this length spreads the requests of all open screens after the same moment. */
const SPREAD_MS = 3_000
/** setTimeout takes no longer delay (MDN: setTimeout, maximum delay value); a later change is seen at the next request. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1

/**
 * Phase that the document shows; undefined where the server knew none (`phaseContext`). The panel's previews, which run no script,
 * have the periods here, too.
 */
export const PhaseContext = createContext<(Phase & Partial<Periods>) | undefined>(undefined)
/** Newest answer, which all parts of a screen show; undefined before the first answer, null if every request failed so far. */
let newestPeriods: Periods | null | undefined
const listeners = new Set<() => void>()

function setNewestPeriods(answer: Periods | null): void {
  newestPeriods = answer
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

let sharedRequest: { at: number; answer: Promise<Periods> } | undefined

function fetchPeriods(): Promise<Periods> {
  if (sharedRequest && performance.now() - sharedRequest.at < SHARED_MS) return sharedRequest.answer
  const answer = fetch('/periodos').then(
    (response): Promise<Periods> => (response.ok ? response.json() : Promise.reject(response)),
  )
  sharedRequest = { at: performance.now(), answer }
  return answer
}

/**
 * Gives a prerendered page the registrations' periods, requested after hydration, and again when a registration opens or
 * closes, the call to action ends, or the Back button restores the page.
 * @returns undefined until the first answer; null if every request has failed, so that only the forms' own screens show the periods
 */
export function usePeriods(): Periods | null | undefined {
  const servedPhase = use(PhaseContext)
  const [refreshCount, setRefreshCount] = useState(0)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let isUnmounted = false
    const refresh = () => setRefreshCount(refreshCount + 1)
    fetchPeriods().then(
      (answer) => {
        setNewestPeriods(answer)
        const ms = untilNextChange(answer)
        if (ms < MAX_TIMEOUT_MS && !isUnmounted)
          timer = setTimeout(refresh, Math.max(ms, SHARED_MS) + Math.random() * SPREAD_MS)
      },
      () => {
        sharedRequest = undefined
        setNewestPeriods(newestPeriods ?? null)
      },
    )
    // The Back button may show a page that was kept in memory for hours.
    const refreshIfRestored = ({ persisted }: PageTransitionEvent) => persisted && refresh()
    addEventListener('pageshow', refreshIfRestored)
    return () => {
      isUnmounted = true
      clearTimeout(timer)
      removeEventListener('pageshow', refreshIfRestored)
    }
  }, [refreshCount])
  return useSyncExternalStore(
    subscribe,
    () => newestPeriods,
    () => (servedPhase?.ahora && servedPhase) as Periods | undefined,
  )
}

/**
 * Gives the edition's phase: in the served document as the server knows it, later as /periodos says.
 * @returns undefined while it is unknown; null if it is still unknown after a failed request
 */
export function usePhase(): Phase | null | undefined {
  const servedPhase = use(PhaseContext)
  const periods = usePeriods()
  // The answer prevails over the served phase, since data that were fetched ahead may be a minute old.
  if (!periods?.llamado) return servedPhase ?? (periods && undefined)
  return { final: servedPhase?.final, feria: servedPhase?.feria ?? 'durante', ...periods } as Phase
}
