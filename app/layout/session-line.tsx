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
  const [left, setLeft] = useState<number>()
  const [turn, setTurn] = useState(0)

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
    let stale = false
    const ask = async () => {
      const answer = await fetch('/sesion', { cache: 'no-store' }).catch(() => undefined)
      if (stale || !answer?.ok) return
      const said = (await answer.json()) as CurrentSession | null
      if (stale) return
      if (said) {
        isOrganiser.current = said.esDeOrganizacion
        const lasts = isResultsScreen ? Math.min(said.quedanMs, said.resultadosMs) : said.quedanMs
        return setSession({ ...said, endsAt: performance.now() + lasts })
      }
      // The organiser's screen is left, so that a passer-by cannot read it.
      if (isOrganiser.current || isKeptOnEnd) return leave()
      forgetSession()
      setSession(undefined)
    }
    const end = onSession(ask)
    // A device that slept does not know whether the session has ended meanwhile.
    document.addEventListener('visibilitychange', ask)
    return () => {
      stale = true
      end()
      document.removeEventListener('visibilitychange', ask)
    }
  }, [key, turn, leave, isResultsScreen, isKeptOnEnd])

  const goOn = useCallback(async () => {
    await fetch('/sesion', { method: 'POST', body: new URLSearchParams({ hacer: 'seguir' }) }).catch(() => undefined)
    setTurn((before) => before + 1)
  }, [])

  // An organiser who types for long sends no request, so keys and presses extend the session.
  const canContinue = session?.esDeOrganizacion === true && !isResultsScreen
  useEffect(() => {
    if (!canContinue) return
    let last = performance.now()
    const used = () => {
      if (performance.now() - last < KEEP_ALIVE_MS) return
      last = performance.now()
      void goOn()
    }
    for (const name of ['keydown', 'pointerdown'] as const) document.addEventListener(name, used, { passive: true })
    return () => {
      for (const name of ['keydown', 'pointerdown'] as const) document.removeEventListener(name, used)
    }
  }, [canContinue, goOn])

  useEffect(() => {
    if (!session?.esDeOrganizacion) return setLeft(undefined)
    const tick = () => {
      const now = session.endsAt - performance.now()
      setLeft(now <= WARNING_MS ? now : undefined)
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
      {left !== undefined && (
        <div className={styles.notice}>
          <p role="alert">
            {isResultsScreen
              ? `Tu sesión de organización termina a los ${RESULTS_MINUTES} minutos: te quedan menos de dos. Guarda lo que estés haciendo.`
              : 'Tu sesión de organización se cierra si no la usas: te quedan menos de dos minutos.'}
          </p>
          <p aria-hidden="true">{clock(left)}</p>
          {canContinue && (
            <button type="button" onClick={() => void goOn()}>
              Seguir aquí
            </button>
          )}
        </div>
      )}
    </>
  )
}

const clock = (ms: number) => {
  const seconds = Math.max(0, Math.ceil(ms / 1_000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
