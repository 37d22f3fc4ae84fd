import { useCallback, useEffect, useRef, useState } from 'react'
import { newUuid } from '#app/core/text/uuid.ts'
import type { SheetResponse } from '#app/finals/proceedings/schema.ts'
import {
  completeScores,
  lostTapsMessage,
  marksOf,
  newSheetMemory,
  readSheetMemory,
  receiveSheet,
  type SheetMemory,
  save,
  tap,
  withoutTaps,
} from './sheet-memory.ts'

/** How often the sheet is polled. */
const POLL_MS = 4_000
/** How long after the last tap the taps are sent. */
const SEND_DELAY_MS = 500
/** A request without an answer for so long counts as offline. */
const PATIENCE_MS = 10_000

/**
 * `abriendo`: the stored sheet is being read. `puerta`: no judge has signed in on this telephone.
 * `fuera`: the judge signed in on another telephone, or the evening is over.
 */
type SheetPhase = 'abriendo' | 'puerta' | 'dentro' | 'fuera'

export interface SheetController {
  phase: SheetPhase
  memory: SheetMemory | undefined
  /** Whether the last request reached the site. */
  isOnline: boolean
  /** Whether localStorage accepts the sheet. */
  isStored: boolean
  /** Spanish message about the last action; null: none. */
  message: string | null
  signIn(key: string): Promise<boolean>
  tap(candidate: string, criterion: number, tenths: number): void
  sign(): void
  /** Takes a signature back that has not reached the site. */
  withdrawSignature(): void
}

async function send(path: string, fields?: Record<string, string>): Promise<{ status: number; said: unknown }> {
  const signal = AbortSignal.timeout(PATIENCE_MS)
  const body = fields && new URLSearchParams(fields)
  const response = await fetch(path, body ? { method: 'POST', body, signal } : { signal })
  // A proxy's error page or a server fault counts as offline, and the request is tried again.
  if (response.status >= 500) throw new TypeError(`${response.status}`)
  return { status: response.status, said: await response.json() }
}

/** A judge's sheet on this telephone: stored at once, sent when the site can be reached. */
export function useSheet(): SheetController {
  const [sheetMemory, setSheetMemory] = useState<SheetMemory>()
  const [phase, setPhase] = useState<SheetPhase>('abriendo')
  const [isOnline, setOnline] = useState(true)
  const [isStored, setStored] = useState(true)
  const [message, setMessage] = useState<string | null>(null)
  /** The latest memory, for asynchronous work that outlasts a render. */
  const now = useRef<SheetMemory>(undefined)
  const turn = useRef<Promise<void>>(undefined)
  const isInside = useRef(false)

  const keep = useCallback((next: SheetMemory) => {
    now.current = next
    setSheetMemory(next)
    setStored(save(localStorage, next))
  }, [])

  /** Applies an answer of the site. */
  const take = useCallback(
    (said: SheetResponse) => {
      if (!said.ok && said.reason === 'sesion') {
        isInside.current = false
        setMessage(said.mensaje)
        setPhase('fuera')
        return
      }
      if (!said.ok) setMessage(said.mensaje)
      const { hoja } = said
      if (!hoja || !now.current) return
      const lost = lostTapsMessage(now.current, hoja)
      if (lost) setMessage(lost)
      keep(receiveSheet(now.current, hoja))
    },
    [keep],
  )

  const work = useCallback(async () => {
    try {
      take((await send('/jurado/hoja')).said as SheetResponse)
      setOnline(true)
      const memory = now.current
      if (!isInside.current || !memory) return
      const { final, ronda, toques, firma } = memory
      const sends = async (sending: object) => {
        const { said } = await send('/jurado/hoja', { envio: JSON.stringify({ final, ronda, ...sending }) })
        return said as SheetResponse
      }
      if (firma) {
        const said = await sends({ hacer: 'firmar', ...firma })
        if (!said.ok && said.reason === 'rechazo' && now.current) keep({ ...now.current, firma: null })
        take(said)
      } else if (toques.length > 0) {
        const said = await sends({ hacer: 'guardar', toques })
        if (now.current) keep(withoutTaps(now.current, toques))
        take(said)
      }
    } catch {
      setOnline(false)
    }
  }, [keep, take])

  /** Runs one exchange with the site at a time, so that a signature never overtakes earlier taps. */
  const go = useCallback(() => {
    if (!isInside.current || turn.current) return
    turn.current = work().finally(() => {
      turn.current = undefined
    })
  }, [work])

  useEffect(() => {
    const kept = readSheetMemory(localStorage)
    const memory = kept ?? newSheetMemory(newUuid())
    now.current = memory
    setSheetMemory(memory)
    // A new link in the address takes precedence over the stored sheet of an earlier one.
    isInside.current = Boolean(kept?.hoja) && location.hash.length < 2
    setPhase(isInside.current ? 'dentro' : 'puerta')
    go()
    const timer = setInterval(go, POLL_MS)
    addEventListener('online', go)
    document.addEventListener('visibilitychange', go)
    return () => {
      clearInterval(timer)
      removeEventListener('online', go)
      document.removeEventListener('visibilitychange', go)
    }
  }, [go])

  const soon = useRef<ReturnType<typeof setTimeout>>(undefined)
  const sendSoon = useCallback(() => {
    clearTimeout(soon.current)
    soon.current = setTimeout(go, SEND_DELAY_MS)
  }, [go])

  return {
    ...{ phase, memory: sheetMemory, isOnline, isStored, message },

    async signIn(key) {
      const device = now.current?.aparato ?? newUuid()
      try {
        const { said } = await send('/jurado/entrar', { llave: key, aparato: device })
        const answer = said as { ok: boolean; mensaje?: string }
        if (!answer.ok) {
          setMessage(answer.mensaje ?? null)
          return false
        }
        // The stored sheet may be another judge's.
        const { said: first } = await send('/jurado/hoja')
        keep(newSheetMemory(device))
        isInside.current = true
        setMessage(null)
        setPhase('dentro')
        take(first as SheetResponse)
        return true
      } catch {
        setMessage('No hay señal. Acércate a donde la haya y toca el botón otra vez: el enlace sigue sirviendo.')
        return false
      }
    },

    tap(candidate, criterion, tenths) {
      if (!now.current) return
      setMessage(null)
      keep(tap(now.current, { candidata: candidate, criterio: criterion, decimas: tenths }))
      sendSoon()
    },

    sign() {
      const memory = now.current
      const ronda = memory?.hoja?.ronda
      const scores = memory && ronda && completeScores(marksOf(memory, ronda))
      if (!scores) return
      setMessage(null)
      keep({ ...memory, firma: { clave: newUuid(), calificaciones: scores } })
      sendSoon()
    },

    withdrawSignature() {
      if (now.current?.firma) keep({ ...now.current, firma: null })
    },
  }
}
