import { useCallback, useEffect, useRef, useState } from 'react'
import { useLocation, useNavigate, useNavigationType } from 'react-router'
import type { SesionDicha } from '#app/cuentas/schema.ts'
import { announceSesion } from '#app/cuentas/sesion-abierta.ts'
import { newUuid } from '#app/platform/uuid.ts'
import { type Lugares, PARAMETRO_SIN_GOOGLE, readLugar } from './rules.ts'
import type { RespuestaDeVoto } from './schema.ts'

export type Paso =
  /** Nothing is under way. */
  | { paso: 'nada' }
  /** Nobody is signed in: address, then code. */
  | { paso: 'entrar'; vote: number }
  /** The vote did not begin on this site (another one's link led here, say): the visitor confirms it by a press. */
  | { paso: 'confirmar'; vote: number }
  /** The vote is on its way; `trabaja`: this browser does the work that unusual traffic asks for. */
  | { paso: 'enviando'; vote: number; trabaja: boolean }
  | { paso: 'hecho'; vote: number; recibo: string }
  | { paso: 'ya-votaste'; vote: number }
  | { paso: 'cerrada' }
  | { paso: 'invalido' }
  /** The link is of a candidate who takes no part any more. */
  | { paso: 'retirada' }
  /** Google sent the visitor back without a sign-in; `vote`: the candidate, if this tab still knows. */
  | { paso: 'sin-google'; vote?: number | undefined }
  /** No answer came; the address keeps the candidate. */
  | { paso: 'sin-red'; vote: number }
  /** The work that unusual traffic asks for could not be done: it takes the page's script. */
  | { paso: 'sin-prueba'; vote: number }

interface Options {
  /** Whether the vote was open when the page was made. */
  abierta: boolean
  /** Whether the link was followed on another site. */
  ajena: boolean
  /** Where the candidates stand in the vote's order. */
  lugares: Lugares
  /** The step that a form sent without the page's script led to. */
  inicial: Paso | undefined
  /** Called when the vote was closed while the page was open. */
  onCerrada: () => void
}

/** The vote of a visitor who arrives with `?vote=` (§4, D24, D25), from the address to the receipt. */
export function useVoto({ abierta, ajena, lugares, inicial, onCerrada }: Options) {
  const { search, key } = useLocation()
  const how = useNavigationType()
  const navigate = useNavigate()
  const [estado, setEstado] = useState<Paso>(inicial ?? { paso: 'nada' })
  /** One attempt for each candidate, kept until its answer is known, so that sending it again is the same vote. */
  const intentos = useRef(new Map<number, string>())

  /** Takes `?vote=` out of the address, and out of what Back leads to. */
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
        // A press after an answer is another vote.
        if (answer.ok || (answer.reason !== 'sesion' && answer.reason !== 'prueba')) intentos.current.delete(vote)
        if (answer.ok) return end({ paso: 'hecho', vote, recibo: answer.recibo })
        if (answer.reason === 'sesion') return setEstado({ paso: 'entrar', vote })
        if (answer.reason === 'candidata') return end({ paso: 'invalido' })
        if (answer.reason === 'retirada') return end({ paso: 'retirada' })
        if (answer.reason === 'cerrada') {
          setEstado({ paso: 'cerrada' })
          // The address changes first: begun together, its change would cancel reading the page again.
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

  /** Handles an arrival with a vote. @param asks whether it has to be confirmed; the page's own buttons need not be */
  const arrive = useCallback(
    async (vote: number, asks: boolean) => {
      const sesion = await ask<SesionDicha | null>('/sesion', { cache: 'no-store' })
      // Marks the device, so that a visitor who came in by Google, too, can sign out at the foot of every screen.
      if (sesion) announceSesion()
      if (sesion === undefined) setEstado({ paso: 'sin-red', vote })
      else if (sesion === null) setEstado({ paso: 'entrar', vote })
      else if (asks) setEstado({ paso: 'confirmar', vote })
      else await cast(vote)
    },
    [cast],
  )

  /** Begins a vote by a button of the page. */
  const choose = (vote: number) =>
    navigate(`/misspopularidad?vote=${vote}`, { replace: true, preventScrollReset: true })

  const seen = useRef<string>(undefined)
  useEffect(() => {
    // An arrival is handled once, whatever else changes.
    if (seen.current === key) return
    seen.current = key
    const isFresh = takeArrival()
    const query = new URLSearchParams(search)
    const vote = readLugar(query, lugares)
    if (query.has(PARAMETRO_SIN_GOOGLE) && abierta) return end({ paso: 'sin-google', vote: recallVoto(lugares) })
    if (vote === undefined) return
    if (vote === 'retirada') end({ paso: 'retirada' })
    else if (!abierta) end({ paso: 'cerrada' })
    else if (vote === 'invalido') end({ paso: 'invalido' })
    else void arrive(vote, how === 'POP' && (!isFresh || ajena))
  }, [key, how, search, abierta, ajena, lugares, arrive, end])

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
 * Whether an address, a link or a form led to this document, and that arrival has not been handled yet. A reload, Back
 * or Forward is no arrival: it repeats one, though browsers report it as begun on this site.
 */
function takeArrival(): boolean {
  const [entry] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  const isFirst = !hasArrived
  hasArrived = true
  return isFirst && entry?.type === 'navigate'
}

/** The candidate is kept under this name while the visitor is at Google, in this tab alone. */
const RECORDADO = 'certamen.voto.google'

export function rememberVoto(vote: number): void {
  try {
    sessionStorage.setItem(RECORDADO, String(vote))
  } catch {
    // A browser that keeps nothing asks for the candidate again.
  }
}
function recallVoto(lugares: Lugares): number | undefined {
  try {
    const vote = readLugar(new URLSearchParams({ vote: sessionStorage.getItem(RECORDADO) ?? '' }), lugares)
    return typeof vote === 'number' ? vote : undefined
  } catch {
    return undefined
  }
}

/** @returns undefined when no answer came, or none in JSON */
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
