import { useEffect, useState } from 'react'
import { untilNextChange } from './rules.ts'
import type { Periods, RegistrationWithPeriod } from './schema.ts'

/** Each form's address and the words of a link to it; on no screen are they part of another link's words. */
export const REGISTRATION_FORMS: readonly { registro: RegistrationWithPeriod; a: string; nombre: string }[] = [
  { registro: 'candidatas', a: '/registro', nombre: 'Registro de candidata' },
  { registro: 'trajes', a: '/registro-traje-tipico', nombre: 'Registro de traje típico' },
]

/** Several parts of one screen ask at once, and share an answer for so long. */
const SHARED_MS = 5_000
/** All screens wait for the same instant, and spread what they then ask over so long. */
const SPREAD_MS = 3_000
/** The longest wait that setTimeout takes. */
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
 * Which registrations are open, in a page that was rendered ahead: asked for once the page is alive, and again when a
 * registration opens or closes.
 * @returns undefined until it is known; null when it cannot be known: the forms' own screens then say it
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
