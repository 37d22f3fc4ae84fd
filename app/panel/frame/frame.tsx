import { type ReactNode, useEffect, useRef } from 'react'
import { useLocation } from 'react-router'
import type { Role } from '#app/accounts/schema.ts'
import { forgetSession } from '#app/accounts/sessions/browser-signals.ts'
import { Enlace } from '#app/ui/links/link.tsx'
import styles from './frame.module.css'
import { ACCOUNT_PATH, isSection, sectionsOf } from './sections.ts'

export interface PanelFrameData {
  anio: number
  rol: Role | null
  hayOtras: boolean
  /** How many entries there are; undefined for whoever does not see them. */
  inscripciones: number | undefined
  /** Nothing opens but one's own account, until a second step is put. */
  soloCuenta: boolean
  /** The screen has a «Cerrar sesión» of its own. */
  conSalida?: boolean
}

/** The frame of every screen of the panel: its sections beside it, or above it on a phone. */
export function Frame({
  anio,
  rol,
  hayOtras,
  inscripciones,
  soloCuenta,
  conSalida = false,
  children,
}: PanelFrameData & { children: ReactNode }) {
  const { pathname } = useLocation()
  const row = useRef<HTMLElement>(null)
  // On a phone the sections stand in a row that is longer than the screen.
  useEffect(() => {
    const show = () => {
      const here = pathname && row.current?.querySelector<HTMLElement>('[aria-current]')
      if (row.current && here)
        row.current.scrollLeft = here.offsetLeft - (row.current.clientWidth - here.offsetWidth) / 2
    }
    show()
    // Letters that come later are wider or narrower.
    void document.fonts.ready.then(show)
  }, [pathname])
  return (
    <div className={styles.panel}>
      <nav className={styles.secciones} aria-label="Panel" ref={row}>
        <p className={styles.edicion}>Edición {anio}</p>
        {sectionsOf(rol, hayOtras)
          .filter(({ a }) => !soloCuenta || a === ACCOUNT_PATH)
          .map(({ a, texto, recurso }) => (
            <Enlace key={a} to={a} aria-current={isSection(a, pathname, hayOtras) ? 'page' : undefined}>
              {texto}
              {recurso === 'inscripciones' && inscripciones !== undefined && (
                <span>{inscripciones.toLocaleString('es-MX')}</span>
              )}
            </Enlace>
          ))}
        {!conSalida && (
          <form method="post" action="/sesion" onSubmit={forgetSession}>
            <button type="submit">Cerrar sesión</button>
          </form>
        )}
      </nav>
      {children}
    </div>
  )
}
