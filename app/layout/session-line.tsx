import { useCallback, useEffect, useRef, useState } from 'react'
import { useLocation, useMatches, useNavigate } from 'react-router'
import type { CurrentSession } from '#app/accounts/schema.ts'
import { announceSessionEnd, forgetSession, onSession } from '#app/accounts/sessions/browser-signals.ts'
import styles from './session-line.module.css'

/** Time between the warning and the end of an organiser's session. */
const WARN_BEFORE_END_MS = 2 * 60_000
/** Time after the sign-in for which the results stay open (RESULTS_ACCESS_MS). */
const RESULTS_MINUTES = 30
/** Minimum interval between two extensions of an organiser's session by keys or presses. */
const MIN_EXTENSION_INTERVAL_MS = 5 * 60_000
/** Longest wait for the answer to a sign-out before the screen is left. */
const MAX_SIGN_OUT_MS = 2_000

/** The keys of a route's handle that the line reads. */
interface SessionHandle {
  /** The screen has its own «Cerrar sesión» button. */
  hasOwnSignOut?: boolean
  /** The screen stays when the session ends, with the login wall over its unsent forms. */
  staysOnSessionEnd?: boolean
  /** The screen shows the results, which close a fixed time after the sign-in. */
  isResultsScreen?: boolean
}

interface KnownSession extends CurrentSession {
  /** End of the session or of the results by performance.now(), which ignores changes of the device's clock. */
  endsAtMs: number
}

/**
 * Names the signed-in account at the foot of the screen; warns an organiser two minutes before the session or the results end,
 * and at that end signs the organiser out.
 */
export function SessionLine() {
  const handles = useMatches().map(({ handle }) => handle as SessionHandle | undefined)
  const hasHandle = (name: keyof SessionHandle) => handles.some((handle) => handle?.[name])
  const hasOwnSignOut = hasHandle('hasOwnSignOut')
  const staysOnSessionEnd = hasHandle('staysOnSessionEnd')
  const isResultsScreen = hasHandle('isResultsScreen')
  const { key } = useLocation()
  const navigate = useNavigate()
  const [session, setSession] = useState<KnownSession>()
  const [remainingMs, setRemainingMs] = useState<number>()
  const [refreshCount, setRefreshCount] = useState(0)

  const isOrganiser = useRef(false)
  const endSession = useCallback(() => {
    isOrganiser.current = false
    forgetSession()
    setSession(undefined)
    if (staysOnSessionEnd) announceSessionEnd()
    else navigate('/', { replace: true })
  }, [navigate, staysOnSessionEnd])

  // Reads the session on every screen, since it may have ended elsewhere.
  useEffect(() => {
    let isStale = false
    /** Whether the screen was opened with results. After their time it shows the login wall. */
    let hadResults: boolean | undefined
    const readSession = async () => {
      const response = await fetch('/sesion', { cache: 'no-store' }).catch(() => undefined)
      if (isStale || !response?.ok) return
      const currentSession = (await response.json()) as CurrentSession | null
      if (isStale) return
      if (currentSession) {
        isOrganiser.current = currentSession.esDeOrganizacion
        const { quedanMs: sessionMs, resultadosMs: resultsMs } = currentSession
        hadResults ??= isResultsScreen && resultsMs > 0
        const lastingMs = hadResults ? Math.min(sessionMs, resultsMs) : sessionMs
        return setSession({ ...currentSession, endsAtMs: performance.now() + lastingMs })
      }
      // Leaves the organiser's screen, so that passers-by cannot read it.
      if (isOrganiser.current || staysOnSessionEnd) return endSession()
      forgetSession()
      setSession(undefined)
    }
    const stopListening = onSession(readSession)
    // The session may have ended while the device slept.
    document.addEventListener('visibilitychange', readSession)
    return () => {
      isStale = true
      stopListening()
      document.removeEventListener('visibilitychange', readSession)
    }
  }, [key, refreshCount, endSession, isResultsScreen, staysOnSessionEnd])

  const extendSession = useCallback(async () => {
    await fetch('/sesion', { method: 'POST', body: new URLSearchParams({ hacer: 'seguir' }) }).catch(() => undefined)
    setRefreshCount((before) => before + 1)
  }, [])

  // Keys and presses extend the session, since an organiser who types for long sends no request.
  const isExtendable = session?.esDeOrganizacion === true && !isResultsScreen
  useEffect(() => {
    if (!isExtendable) return
    let extendedAtMs = performance.now()
    const onUse = () => {
      if (performance.now() - extendedAtMs < MIN_EXTENSION_INTERVAL_MS) return
      extendedAtMs = performance.now()
      void extendSession()
    }
    for (const name of ['keydown', 'pointerdown'] as const) document.addEventListener(name, onUse, { passive: true })
    return () => {
      for (const name of ['keydown', 'pointerdown'] as const) document.removeEventListener(name, onUse)
    }
  }, [isExtendable, extendSession])

  useEffect(() => {
    if (!session?.esDeOrganizacion) return setRemainingMs(undefined)
    const tick = () => {
      const leftMs = session.endsAtMs - performance.now()
      setRemainingMs(leftMs <= WARN_BEFORE_END_MS ? leftMs : undefined)
      if (leftMs > 0) return
      clearInterval(timer)
      // Ends the session on the server, too, where it may have some time left.
      fetch('/sesion', { method: 'POST', redirect: 'manual', signal: AbortSignal.timeout(MAX_SIGN_OUT_MS) })
        .catch(() => undefined)
        .finally(endSession)
    }
    const timer = setInterval(tick, 1_000)
    tick()
    return () => clearInterval(timer)
  }, [session, endSession])

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
          {isExtendable && (
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
