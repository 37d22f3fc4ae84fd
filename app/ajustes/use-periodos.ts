import { useEffect, useState } from 'react'

/** One registration's period as /periodos says it. */
export interface PeriodoDicho {
  estado: 'antes' | 'abierto' | 'despues'
  /** ISO moments. */
  abre: string
  cierra: string
  /** When it opens or, once it has, when it closes, as people say it: «el lunes 1 de septiembre a las 10 a.m.». */
  cuando: string
}

export type RegistroConPeriodo = 'candidatas' | 'trajes'

/** The answer of /periodos. */
export interface Periodos extends Record<RegistroConPeriodo, PeriodoDicho> {
  /** The site's clock, an ISO moment. */
  ahora: string
}

/** Where each registration's form stands, and its name in a link. */
export const FORMULARIOS: readonly { registro: RegistroConPeriodo; a: string; nombre: string }[] = [
  { registro: 'candidatas', a: '/registro', nombre: 'Registro de candidatas' },
  { registro: 'trajes', a: '/registro-traje-tipico', nombre: 'Registro de trajes típicos' },
]

/** Several parts of one screen ask at once. */
const SHARED_MS = 5_000
/** The longest that a timer runs. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

let asked: { at: number; answer: Promise<Periodos> } | undefined

function askPeriodos(): Promise<Periodos> {
  if (asked && performance.now() - asked.at < SHARED_MS) return asked.answer
  const answer = fetch('/periodos').then((response) => {
    if (!response.ok) throw new Error(`/periodos answered ${response.status}`)
    return response.json() as Promise<Periodos>
  })
  asked = { at: performance.now(), answer }
  return answer
}

/** Milliseconds until one of the two opens or closes; Infinity when nothing of the kind is to come. */
export function untilNextChange({ ahora, candidatas, trajes }: Periodos): number {
  const now = Date.parse(ahora)
  const moments = [candidatas, trajes].flatMap(({ abre, cierra }) => [Date.parse(abre), Date.parse(cierra)])
  return Math.min(...moments.filter((moment) => moment > now).map((moment) => moment - now))
}

/**
 * Which registrations are open, in a page that was rendered ahead: asked for once it is alive, and again when one opens
 * or closes meanwhile.
 * @returns undefined until it is known; null when it cannot be known: then the forms say it themselves
 */
export function usePeriodos(): Periodos | null | undefined {
  const [periodos, setPeriodos] = useState<Periodos | null>()
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let gone = false
    askPeriodos().then(
      (answer) => {
        if (gone) return
        setPeriodos(answer)
        const ms = untilNextChange(answer)
        if (ms < LONGEST_TIMER_MS) timer = setTimeout(() => setTurn(turn + 1), Math.max(ms, SHARED_MS))
      },
      () => {
        asked = undefined
        if (!gone) setPeriodos((before) => before ?? null)
      },
    )
    return () => {
      gone = true
      clearTimeout(timer)
    }
  }, [turn])
  return periodos
}
