import { type ReactNode, useEffect, useRef } from 'react'
import { useLocation } from 'react-router'
import type { Role } from '#app/accounts/schema.ts'
import { forgetSession } from '#app/accounts/sessions/browser-signals.ts'
import { Link } from '#app/ui/navigation/link.tsx'
import styles from './frame.module.css'
import { ACCOUNT_PATH, isSection, sectionsOf } from './sections.ts'

export interface PanelFrameData {
  year: number
  role: Role | null
  hasOtherEditions: boolean
  /** Number of entries; undefined where the account may not see entries. */
  entryCount: number | undefined
  /** Whether only the own account opens, because a required second factor is missing. */
  isAccountOnly: boolean
  /** Whether the screen has its own «Cerrar sesión» button. */
  hasOwnSignOut?: boolean
}

/** The frame of every panel screen, with the sections beside the screen, or above it on a phone. */
export function Frame({
  year,
  role,
  hasOtherEditions,
  entryCount,
  isAccountOnly,
  hasOwnSignOut = false,
  children,
}: PanelFrameData & { children: ReactNode }) {
  const { pathname } = useLocation()
  const row = useRef<HTMLElement>(null)
  // On a phone the row of sections is wider than the screen; the current section is scrolled into view.
  useEffect(() => {
    const show = () => {
      const here = pathname && row.current?.querySelector<HTMLElement>('[aria-current]')
      if (row.current && here)
        row.current.scrollLeft = here.offsetLeft - (row.current.clientWidth - here.offsetWidth) / 2
    }
    show()
    // Web fonts that load later change the widths.
    void document.fonts.ready.then(show)
  }, [pathname])
  return (
    <div className={styles.panel}>
      <nav className={styles.sections} aria-label="Panel" ref={row}>
        <p className={styles.edition}>Edición {year}</p>
        {sectionsOf(role, hasOtherEditions)
          .filter(({ a }) => !isAccountOnly || a === ACCOUNT_PATH)
          .map(({ a, text, resource }) => (
            <Link key={a} to={a} aria-current={isSection(a, pathname, hasOtherEditions) ? 'page' : undefined}>
              {text}
              {resource === 'inscripciones' && entryCount !== undefined && (
                <span>{entryCount.toLocaleString('es-MX')}</span>
              )}
            </Link>
          ))}
        {!hasOwnSignOut && (
          <form method="post" action="/sesion" onSubmit={forgetSession}>
            <button type="submit">Cerrar sesión</button>
          </form>
        )}
      </nav>
      {children}
    </div>
  )
}
