import { useEffect, useState } from 'react'
import { untilNextChange } from './rules.ts'
import type { Periods, RegistrationWithPeriod } from './schema.ts'

/** Address and link text of each registration form. No other link's text contains these words. */
export const REGISTRATION_FORMS: readonly { registration: RegistrationWithPeriod; a: string; label: string }[] = [
  { registration: 'candidatas', a: '/registro', label: 'Registro de candidata' },
  { registration: 'trajes', a: '/registro-traje-tipico', label: 'Registro de traje típico' },
]

/** How long the parts of one screen share an answer. */
const SHARED_MS = 5_000
/** Random delay that spreads the requests of all open screens after the same moment. */
const SPREAD_MS = 3_000
/** Longest delay that setTimeout takes (MDN: setTimeout, maximum delay value). */
const LONGEST_TIMER_MS = 2 ** 31 - 1

let asked: { at: number; answer: Promise<Periods> } | undefined

function fetchPeriods(): Promise<Periods> {
  if (asked && performance.now() - asked.at < SHARED_MS) return asked.answer
  const answer = fetch('/periodos').then((response) => {
    if (!response.ok) throw new Error(`/periodos answered ${response.status}`)
    return response.json() as Promise<Periods>
  })
  asked = { at: performance.now(), answer }
  return answer
}

/**
 * The registrations' periods in a prerendered page: requested after hydration, and again when a registration opens or
 * closes.
 * @returns undefined until the answer; null after a failed request: then only the forms' own screens show the periods
 */
export function usePeriods(): Periods | null | undefined {
  const [periods, setPeriods] = useState<Periods | null>()
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let gone = false
    fetchPeriods().then(
      (answer) => {
        if (gone) return
        setPeriods(answer)
        const ms = untilNextChange(answer)
        if (ms < LONGEST_TIMER_MS)
          timer = setTimeout(() => setTurn(turn + 1), Math.max(ms, SHARED_MS) + Math.random() * SPREAD_MS)
      },
      () => {
        asked = undefined
        if (!gone) setPeriods((before) => before ?? null)
      },
    )
    return () => {
      gone = true
      clearTimeout(timer)
    }
  }, [turn])
  return periods
}
