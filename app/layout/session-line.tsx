import { useCallback, useEffect, useRef, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import type { CurrentSession } from '#app/accounts/schema.ts'
import { announceSessionEnd, forgetSession, onSession } from '#app/accounts/sessions/browser-signals.ts'
import styles from './session-line.module.css'

/** An organiser is warned this long before the end of the session. @source D29 */
const WARNING_MS = 2 * 60_000
const RESULTS_MINUTES = 30
/** An active organiser's session is extended this often at most. */
const KEEP_ALIVE_MS = 5 * 60_000
/** A sign-out may take this long; then the screen is left even without an answer. */
const SIGN_OUT_MS = 2_000

export interface SessionProps {
  /** The screen has its own «Cerrar sesión» button. */
  hasOwnSignOut: boolean
  /** The screen stays when the session ends, with the login wall over its unsent forms. */
  isKeptOnEnd: boolean
  /** The screen shows the results, which close a fixed time after the sign-in. */
  isResultsScreen: boolean
}

interface KnownSession extends CurrentSession {
  /** The session, or the results, end at this time by performance.now(), which ignores changes of the device's clock. */
  endsAt: number
}

/** Names the signed-in account at the foot of the screen, and warns an organiser two minutes before the session ends. */
export function SessionLine({ hasOwnSignOut, isKeptOnEnd, isResultsScreen }: SessionProps) {
  const { key } = useLocation()
  const navigate = useNavigate()
  const [session, setSession] = useState<KnownSession>()
  const [remainingMs, setRemainingMs] = useState<number>()
  const [refreshCount, setRefreshCount] = useState(0)

  const isOrganiser = useRef(false)
  const leave = useCallback(() => {
    isOrganiser.current = false
    forgetSession()
    setSession(undefined)
    if (isKeptOnEnd) announceSessionEnd()
    else navigate('/', { replace: true })
  }, [navigate, isKeptOnEnd])

  // The session is asked for anew on every screen, since it may have ended elsewhere.
  useEffect(() => {
    let isStale = false
    /** The screen was opened with results to see; after their time it shows the login wall, which stays. */
    let hadResults: boolean | undefined
    const readSession = async () => {
      const answer = await fetch('/sesion', { cache: 'no-store' }).catch(() => undefined)
      if (isStale || !answer?.ok) return
      const currentSession = (await answer.json()) as CurrentSession | null
      if (isStale) return
      if (currentSession) {
        isOrganiser.current = currentSession.esDeOrganizacion
        const { quedanMs: sessionMs, resultadosMs: resultsMs } = currentSession
        hadResults ??= isResultsScreen && resultsMs > 0
        const lastingMs = hadResults ? Math.min(sessionMs, resultsMs) : sessionMs
        return setSession({ ...currentSession, endsAt: performance.now() + lastingMs })
      }
      // The organiser's screen is left, so that a passer-by cannot read it.
      if (isOrganiser.current || isKeptOnEnd) return leave()
      forgetSession()
      setSession(undefined)
    }
    const stopListening = onSession(readSession)
    // A device that slept does not know whether the session has ended meanwhile.
    document.addEventListener('visibilitychange', readSession)
    return () => {
      isStale = true
      stopListening()
      document.removeEventListener('visibilitychange', readSession)
    }
  }, [key, refreshCount, leave, isResultsScreen, isKeptOnEnd])

  const extendSession = useCallback(async () => {
    await fetch('/sesion', { method: 'POST', body: new URLSearchParams({ hacer: 'seguir' }) }).catch(() => undefined)
    setRefreshCount((before) => before + 1)
  }, [])

  // An organiser who types for long sends no request, so keys and presses extend the session.
  const canContinue = session?.esDeOrganizacion === true && !isResultsScreen
  useEffect(() => {
    if (!canContinue) return
    let extendedAt = performance.now()
    const onUse = () => {
      if (performance.now() - extendedAt < KEEP_ALIVE_MS) return
      extendedAt = performance.now()
      void extendSession()
    }
    for (const name of ['keydown', 'pointerdown'] as const) document.addEventListener(name, onUse, { passive: true })
    return () => {
      for (const name of ['keydown', 'pointerdown'] as const) document.removeEventListener(name, onUse)
    }
  }, [canContinue, extendSession])

  useEffect(() => {
    if (!session?.esDeOrganizacion) return setRemainingMs(undefined)
    const tick = () => {
      const now = session.endsAt - performance.now()
      setRemainingMs(now <= WARNING_MS ? now : undefined)
      if (now > 0) return
      clearInterval(timer)
      // The session ends here, too: this device's clock may be ahead of the server's.
      fetch('/sesion', { method: 'POST', redirect: 'manual', signal: AbortSignal.timeout(SIGN_OUT_MS) })
        .catch(() => undefined)
        .finally(leave)
    }
    const timer = setInterval(tick, 1_000)
    tick()
    return () => clearInterval(timer)
  }, [session, leave])

  if (!session) return null
  return (
    <>
      {!hasOwnSignOut && (
        <form method="post" action="/sesion" className={styles.line} onSubmit={forgetSession}>
          <span>Sesión de {session.correo}</span>
          <button type="submit">Cerrar sesión</button>
        </form>
      )}
      {remainingMs !== undefined && (
        <div className={styles.notice}>
          <p role="alert">
            {isResultsScreen
              ? `Tu sesión de organización termina a los ${RESULTS_MINUTES} minutos: te quedan menos de dos. Guarda lo que estés haciendo.`
              : 'Tu sesión de organización se cierra si no la usas: te quedan menos de dos minutos.'}
          </p>
          <p aria-hidden="true">{formatCountdown(remainingMs)}</p>
          {canContinue && (
            <button type="button" onClick={() => void extendSession()}>
              Seguir aquí
            </button>
          )}
        </div>
      )}
    </>
  )
}

const formatCountdown = (ms: number) => {
  const seconds = Math.max(0, Math.ceil(ms / 1_000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
