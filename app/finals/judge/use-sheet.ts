import { useCallback, useEffect, useRef, useState } from 'react'
import { newUuid } from '#app/core/text/uuid.ts'
import type { SheetResponse } from '#app/finals/record/schema.ts'
import {
  addTap,
  afterSending,
  completeScores,
  lostTapsMessage,
  newSheetMemory,
  readSheetMemory,
  receiveSheet,
  type SheetMemory,
  scoresOf,
  storeSheetMemory,
} from './sheet-memory.ts'

const POLL_INTERVAL_MS = 4_000
/** Time from the last tap to the sending of taps. */
const SEND_DELAY_MS = 500
/** Time without a response after which the telephone counts as offline. */
const REQUEST_TIMEOUT_MS = 10_000

/**
 * In phase `opening` the stored sheet is being read. In `signedOut` no judge has signed in on this telephone, or the URL has a new
 * link. In `outside` the site has answered that the session is over.
 */
type SheetPhase = 'opening' | 'signedOut' | 'inside' | 'outside'

export interface SheetController {
  phase: SheetPhase
  /** Undefined while the phase is `opening`. */
  memory: SheetMemory | undefined
  /** Whether the last exchange with the site succeeded. */
  isOnline: boolean
  /** Whether localStorage accepts the sheet. */
  isStored: boolean
  /** Latest message for the judge; null if there is none. */
  message: string | null
  signIn(key: string): Promise<boolean>
  tap(candidate: string, criterion: number, tenths: number): void
  sign(): void
  /** Takes a signature back. The site may still accept a signature that is on its way. */
  withdrawSignature(): void
}

async function send(path: string, fields?: Record<string, string>): Promise<{ status: number; body: unknown }> {
  const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS)
  const body = fields && new URLSearchParams(fields)
  const response = await fetch(path, body ? { method: 'POST', body, signal } : { signal })
  // A proxy's error page or a server fault counts as offline, and the request is retried; 507, a full disk, has a message.
  if (response.status >= 500 && response.status !== 507) throw new TypeError(`${response.status}`)
  return { status: response.status, body: await response.json() }
}

/** Keeps a judge's sheet on the telephone: taps are stored at once and sent when the site can be reached. */
export function useSheet(): SheetController {
  const [sheetMemory, setSheetMemory] = useState<SheetMemory>()
  const [phase, setPhase] = useState<SheetPhase>('opening')
  const [isOnline, setOnline] = useState(true)
  const [isStored, setStored] = useState(true)
  const [message, setMessage] = useState<string | null>(null)
  /** Latest memory, for asynchronous work that outlasts a render. */
  const latestMemory = useRef<SheetMemory>(undefined)
  const runningExchange = useRef<Promise<void>>(undefined)
  const isSignedIn = useRef(false)

  const storeMemory = useCallback((memory: SheetMemory) => {
    latestMemory.current = memory
    setSheetMemory(memory)
    setStored(storeSheetMemory(localStorage, memory))
  }, [])

  const applyResponse = useCallback(
    (response: SheetResponse) => {
      if (!response.ok && response.reason === 'sesion') {
        isSignedIn.current = false
        setMessage(response.mensaje)
        setPhase('outside')
        return
      }
      if (!response.ok) setMessage(response.mensaje)
      const { hoja } = response
      if (!hoja || !latestMemory.current) return
      const lostMessage = lostTapsMessage(latestMemory.current, hoja)
      if (lostMessage) setMessage(lostMessage)
      storeMemory(receiveSheet(latestMemory.current, hoja))
    },
    [storeMemory],
  )

  const exchange = useCallback(async () => {
    try {
      applyResponse((await send('/jurado/hoja')).body as SheetResponse)
      setOnline(true)
      const memory = latestMemory.current
      if (!isSignedIn.current || !memory) return
      const { final, ronda: round, toques: taps, firma: signature } = memory
      const post = async (fields: object) => {
        const { body } = await send('/jurado/hoja', { envio: JSON.stringify({ final, ronda: round, ...fields }) })
        return body as SheetResponse
      }
      if (!signature && taps.length === 0) return
      const response = await post(signature ? { hacer: 'firmar', ...signature } : { hacer: 'guardar', toques: taps })
      if (latestMemory.current) storeMemory(afterSending(latestMemory.current, memory, response))
      applyResponse(response)
    } catch {
      setOnline(false)
    }
  }, [storeMemory, applyResponse])

  /** Starts an exchange with the site unless one is running, so that a signature never overtakes earlier taps. */
  const startExchange = useCallback(() => {
    if (!isSignedIn.current || runningExchange.current) return
    runningExchange.current = exchange().finally(() => {
      runningExchange.current = undefined
    })
  }, [exchange])

  useEffect(() => {
    const storedMemory = readSheetMemory(localStorage)
    const memory = storedMemory ?? newSheetMemory(newUuid())
    latestMemory.current = memory
    setSheetMemory(memory)
    // A new link in the URL takes precedence over the stored sheet of an earlier link.
    isSignedIn.current = Boolean(storedMemory?.hoja) && location.hash.length < 2
    setPhase(isSignedIn.current ? 'inside' : 'signedOut')
    startExchange()
    const timer = setInterval(startExchange, POLL_INTERVAL_MS)
    addEventListener('online', startExchange)
    document.addEventListener('visibilitychange', startExchange)
    return () => {
      clearInterval(timer)
      removeEventListener('online', startExchange)
      document.removeEventListener('visibilitychange', startExchange)
    }
  }, [startExchange])

  const sendTimer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const sendSoon = useCallback(() => {
    clearTimeout(sendTimer.current)
    sendTimer.current = setTimeout(startExchange, SEND_DELAY_MS)
  }, [startExchange])

  return {
    phase,
    memory: sheetMemory,
    isOnline,
    isStored,
    message,

    async signIn(key) {
      const memory = latestMemory.current ?? newSheetMemory(newUuid())
      const { aparato: deviceId } = memory
      // The id is stored first, since a lost answer may have redeemed the link for it, and the page may be loaded again.
      storeMemory(memory)
      try {
        const { body } = await send('/jurado/entrar', { llave: key, aparato: deviceId })
        const signInResponse = body as { ok: boolean; mensaje?: string }
        if (!signInResponse.ok) {
          setMessage(signInResponse.mensaje ?? null)
          return false
        }
        // The stored sheet may be another judge's, so the memory starts anew.
        const { body: firstSheet } = await send('/jurado/hoja')
        storeMemory(newSheetMemory(deviceId))
        isSignedIn.current = true
        setMessage(null)
        setPhase('inside')
        applyResponse(firstSheet as SheetResponse)
        return true
      } catch {
        setMessage('No hay señal. Acércate a donde la haya y toca el botón otra vez: el enlace sigue sirviendo.')
        return false
      }
    },

    tap(candidate, criterion, tenths) {
      if (!latestMemory.current) return
      setMessage(null)
      storeMemory(addTap(latestMemory.current, { candidata: candidate, criterio: criterion, decimas: tenths }))
      sendSoon()
    },

    sign() {
      const memory = latestMemory.current
      const round = memory?.hoja?.ronda
      const scores = memory && round && completeScores(scoresOf(memory, round))
      if (!scores) return
      setMessage(null)
      storeMemory({ ...memory, firma: { clave: newUuid(), calificaciones: scores } })
      sendSoon()
    },

    withdrawSignature() {
      if (latestMemory.current?.firma) storeMemory({ ...latestMemory.current, firma: null })
    },
  }
}
