import { useCallback, useEffect, useRef, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import type { SesionDicha } from '#app/accounts/schema.ts'
import { announceFin, forgetSesion, onSesion } from '#app/accounts/sessions/browser-signals.ts'
import styles from './session-line.module.css'

/** How long before the end of the session an organiser is warned. @source D29 */
const AVISO_MS = 2 * 60_000
const RESULTADOS_MINUTES = 30
/** How often somebody at work in a screen keeps the session open. */
const SEGUIR_MS = 5 * 60_000
/** How long signing out may take before the screen is left all the same. */
const SALIDA_MS = 2_000

export interface SesionProps {
  /** Whether the screen has a «Cerrar sesión» of its own. */
  propia: boolean
  /** Whether the screen stays when the session ends, and shows the door above what is being typed in it. */
  sigue: boolean
  /** Whether it shows the results, which end for good some time after the sign-in. */
  resultados: boolean
}

interface Conocida extends SesionDicha {
  /** When it ends, or the results do, by this device's monotonic clock, which nobody can set. */
  endsAt: number
}

/** The line at the foot of the screen that says who is signed in, and warns an organiser two minutes before the end. */
export function SesionLinea({ propia, sigue, resultados }: SesionProps) {
  const { key } = useLocation()
  const navigate = useNavigate()
  const [sesion, setSesion] = useState<Conocida>()
  const [left, setLeft] = useState<number>()
  const [turn, setTurn] = useState(0)

  const esDeOrganizacion = useRef(false)
  const leave = useCallback(() => {
    esDeOrganizacion.current = false
    forgetSesion()
    setSesion(undefined)
    if (sigue) announceFin()
    else navigate('/', { replace: true })
  }, [navigate, sigue])

  // The session is asked for anew on every screen, since it may have ended elsewhere.
  useEffect(() => {
    let stale = false
    const ask = async () => {
      const answer = await fetch('/sesion', { cache: 'no-store' }).catch(() => undefined)
      if (stale || !answer?.ok) return
      const dicha = (await answer.json()) as SesionDicha | null
      if (stale) return
      if (dicha) {
        esDeOrganizacion.current = dicha.esDeOrganizacion
        const lasts = resultados ? Math.min(dicha.quedanMs, dicha.resultadosMs) : dicha.quedanMs
        return setSesion({ ...dicha, endsAt: performance.now() + lasts })
      }
      // The organiser's screen is left, so that nobody who finds the device reads it.
      if (esDeOrganizacion.current || sigue) return leave()
      forgetSesion()
      setSesion(undefined)
    }
    const end = onSesion(ask)
    // A device that slept does not know whether the session has ended meanwhile.
    document.addEventListener('visibilitychange', ask)
    return () => {
      stale = true
      end()
      document.removeEventListener('visibilitychange', ask)
    }
  }, [key, turn, leave, resultados, sigue])

  const goOn = useCallback(async () => {
    await fetch('/sesion', { method: 'POST', body: new URLSearchParams({ hacer: 'seguir' }) }).catch(() => undefined)
    setTurn((before) => before + 1)
  }, [])

  // Whoever writes for long sends nothing meanwhile, and is at work all the same.
  const seguible = sesion?.esDeOrganizacion === true && !resultados
  useEffect(() => {
    if (!seguible) return
    let last = performance.now()
    const used = () => {
      if (performance.now() - last < SEGUIR_MS) return
      last = performance.now()
      void goOn()
    }
    for (const name of ['keydown', 'pointerdown'] as const) document.addEventListener(name, used, { passive: true })
    return () => {
      for (const name of ['keydown', 'pointerdown'] as const) document.removeEventListener(name, used)
    }
  }, [seguible, goOn])

  useEffect(() => {
    if (!sesion?.esDeOrganizacion) return setLeft(undefined)
    const tick = () => {
      const now = sesion.endsAt - performance.now()
      setLeft(now <= AVISO_MS ? now : undefined)
      if (now > 0) return
      clearInterval(timer)
      // The session ends here, too: this device's clock may be ahead of the server's.
      fetch('/sesion', { method: 'POST', redirect: 'manual', signal: AbortSignal.timeout(SALIDA_MS) })
        .catch(() => undefined)
        .finally(leave)
    }
    const timer = setInterval(tick, 1_000)
    tick()
    return () => clearInterval(timer)
  }, [sesion, leave])

  if (!sesion) return null
  return (
    <>
      {!propia && (
        <form method="post" action="/sesion" className={styles.linea} onSubmit={forgetSesion}>
          <span>Sesión de {sesion.correo}</span>
          <button type="submit">Cerrar sesión</button>
        </form>
      )}
      {left !== undefined && (
        <div className={styles.aviso}>
          <p role="alert">
            {resultados
              ? `Tu sesión de organización termina a los ${RESULTADOS_MINUTES} minutos: te quedan menos de dos. Guarda lo que estés haciendo.`
              : 'Tu sesión de organización se cierra si no la usas: te quedan menos de dos minutos.'}
          </p>
          <p aria-hidden="true">{clock(left)}</p>
          {seguible && (
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
