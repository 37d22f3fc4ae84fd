import { useCallback, useEffect, useRef, useState } from 'react'
import { useLocation, useNavigate, useNavigationType } from 'react-router'
import type { SesionDicha } from '#app/cuentas/schema.ts'
import { announceSesion } from '#app/cuentas/sesion-abierta.ts'
import { newUuid } from '#app/platform/uuid.ts'
import { PARAMETRO_SIN_GOOGLE, readVoto } from './rules.ts'
import type { RespuestaDeVoto } from './schema.ts'

export type Paso =
  /** Nothing is under way. */
  | { paso: 'nada' }
  /** Nobody is signed in: address, then code. */
  | { paso: 'entrar'; vote: number }
  /** Nobody on this site asked for it just now, as when a link came from another one: one press first. */
  | { paso: 'confirmar'; vote: number }
  /** On its way; with work for this browser where traffic is unusual. */
  | { paso: 'enviando'; vote: number; trabaja: boolean }
  | { paso: 'hecho'; vote: number; recibo: string }
  | { paso: 'ya-votaste'; vote: number }
  | { paso: 'cerrada' }
  | { paso: 'invalido' }
  /** Google sent the visitor back without an answer; for whom, if this tab still knows. */
  | { paso: 'sin-google'; vote?: number | undefined }
  /** The answer did not come: the address keeps the candidate. */
  | { paso: 'sin-red'; vote: number }
  /** Sent without the page's script, which does the work that unusual traffic asks for. */
  | { paso: 'sin-prueba'; vote: number }

interface Options {
  /** The page as it was made: the vote is open. */
  abierta: boolean
  /** The link was followed on another site. */
  ajena: boolean
  /** Candidates there are. */
  cuantas: number
  /** What a form sent without the page's script came to. */
  inicial: Paso | undefined
  /** The vote was closed while the page was open. */
  onCerrada: () => void
}

/** The vote of whoever arrives with `?vote=` (§4, D24, D25), from the address to the receipt. */
export function useVoto({ abierta, ajena, cuantas, inicial, onCerrada }: Options) {
  const { search, key } = useLocation()
  const how = useNavigationType()
  const navigate = useNavigate()
  const [estado, setEstado] = useState<Paso>(inicial ?? { paso: 'nada' })
  /** One a candidate, while nobody knows what came of it: sent again, it is the same vote. */
  const intentos = useRef(new Map<number, string>())

  /** Takes the question out of the address, and out of what Back leads to. */
  const clear = useCallback(() => navigate('/misspopularidad', { replace: true, preventScrollReset: true }), [navigate])
  const end = useCallback(
    (paso: Paso) => {
      setEstado(paso)
      clear()
    },
    [clear],
  )

  const cast = useCallback(
    async (vote: number) => {
      if (!intentos.current.has(vote)) intentos.current.set(vote, newUuid())
      const body = new URLSearchParams({ vote: String(vote), intento: intentos.current.get(vote)! })
      setEstado({ paso: 'enviando', vote, trabaja: false })
      for (;;) {
        const answer = await ask<RespuestaDeVoto>('/misspopularidad/voto', { method: 'POST', body })
        if (!answer) return setEstado({ paso: 'sin-red', vote })
        // Whoever presses again after an answer means another vote.
        if (answer.ok || (answer.reason !== 'sesion' && answer.reason !== 'prueba')) intentos.current.delete(vote)
        if (answer.ok) return end({ paso: 'hecho', vote, recibo: answer.recibo })
        if (answer.reason === 'sesion') return setEstado({ paso: 'entrar', vote })
        if (answer.reason === 'candidata') return end({ paso: 'invalido' })
        if (answer.reason === 'cerrada') {
          setEstado({ paso: 'cerrada' })
          // Under way at once, the change of the address would take the place of reading the page again.
          await clear()
          return onCerrada()
        }
        if (answer.reason === 'ya-votaste') return end({ paso: 'ya-votaste', vote })
        if (!answer.reto) return setEstado({ paso: 'sin-red', vote })
        setEstado({ paso: 'enviando', vote, trabaja: true })
        const prueba = await import('./prueba.client.ts').catch(() => undefined)
        if (prueba === undefined) return setEstado({ paso: 'sin-red', vote })
        const respuesta = await prueba.workOn(answer.reto)
        if (respuesta === undefined) return setEstado({ paso: 'sin-prueba', vote })
        body.set('reto', JSON.stringify(answer.reto))
        body.set('respuesta', respuesta)
      }
    },
    [end, clear, onCerrada],
  )

  /** Arrival: also by one of the page's own buttons, which come from here and ask nothing further. */
  const arrive = useCallback(
    async (vote: number, asks: boolean) => {
      const sesion = await ask<SesionDicha | null>('/sesion', { cache: 'no-store' })
      // Whoever came in by Google, too, can leave again at the foot of every screen.
      if (sesion) announceSesion()
      if (sesion === undefined) setEstado({ paso: 'sin-red', vote })
      else if (sesion === null) setEstado({ paso: 'entrar', vote })
      else if (asks) setEstado({ paso: 'confirmar', vote })
      else await cast(vote)
    },
    [cast],
  )

  /** By a button of the page. */
  const choose = (vote: number) =>
    navigate(`/misspopularidad?vote=${vote}`, { replace: true, preventScrollReset: true })

  const seen = useRef<string>(undefined)
  useEffect(() => {
    // Once an arrival, whatever else changes.
    if (seen.current === key) return
    seen.current = key
    const isFresh = takeArrival()
    const query = new URLSearchParams(search)
    const vote = readVoto(query, cuantas)
    if (query.has(PARAMETRO_SIN_GOOGLE) && abierta) return end({ paso: 'sin-google', vote: recallVoto(cuantas) })
    if (vote === undefined) return
    if (!abierta) end({ paso: 'cerrada' })
    else if (vote === 'invalido') end({ paso: 'invalido' })
    else void arrive(vote, how === 'POP' && (!isFresh || ajena))
  }, [key, how, search, abierta, ajena, cuantas, arrive, end])

  return {
    estado,
    cast,
    choose,
    close: () => {
      setEstado({ paso: 'nada' })
      if (search) clear()
    },
  }
}

let hasArrived = false
/**
 * Whether this document was led to by an address, a link or a form, and nothing has been done with that yet. Reloading,
 * Back and Forward repeat an arrival, or are another page's doing, and browsers call them the site's own.
 */
function takeArrival(): boolean {
  const [entry] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  const isFirst = !hasArrived
  hasArrived = true
  return isFirst && entry?.type === 'navigate'
}

/** Whom the vote is for while the visitor is with Google, in this tab alone. */
const RECORDADO = 'certamen.voto.google'

export function rememberVoto(vote: number): void {
  try {
    sessionStorage.setItem(RECORDADO, String(vote))
  } catch {
    // A browser that keeps nothing asks for the candidate again.
  }
}
function recallVoto(cuantas: number): number | undefined {
  try {
    const vote = readVoto(new URLSearchParams({ vote: sessionStorage.getItem(RECORDADO) ?? '' }), cuantas)
    return vote === 'invalido' ? undefined : vote
  } catch {
    return undefined
  }
}

/** @returns undefined when no answer came that says anything */
async function ask<Answer>(path: string, init: RequestInit): Promise<Answer | undefined> {
  try {
    const answer = await fetch(path, { ...init, signal: AbortSignal.timeout(20_000) })
    return answer.headers.get('content-type')?.startsWith('application/json')
      ? ((await answer.json()) as Answer)
      : undefined
  } catch {
    return undefined
  }
}
