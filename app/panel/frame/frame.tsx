import { type ReactNode, useEffect, useRef } from 'react'
import { useLocation } from 'react-router'
import type { Role } from '#app/accounts/schema.ts'
import { forgetSession } from '#app/accounts/sessions/browser-signals.ts'
import { Link } from '#app/ui/navigation/link.tsx'
import styles from './frame.module.css'
import { ACCOUNT_PATH, isInSection, sectionsOf } from './sections.ts'

export interface PanelFrameData {
  year: number
  role: Role | null
  hasOtherEditions: boolean
  /** The number is undefined where the account may not see entries. */
  entryCount: number | undefined
  /** Only the own account opens, because a required second factor is missing. */
  isAccountOnly: boolean
  /** The screen has its own «Cerrar sesión» button, so the frame shows none. */
  hasOwnSignOut?: boolean
}

/** Frames every panel screen with the sections, which stand beside the screen, or above the screen on a phone. */
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
      const currentLink = pathname && row.current?.querySelector<HTMLElement>('[aria-current]')
      if (row.current && currentLink)
        row.current.scrollLeft = currentLink.offsetLeft - (row.current.clientWidth - currentLink.offsetWidth) / 2
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
          .filter(({ path }) => !isAccountOnly || path === ACCOUNT_PATH)
          .map(({ path, text, resource }) => (
            <Link
              key={path}
              to={path}
              aria-current={isInSection(path, pathname, hasOtherEditions) ? 'page' : undefined}
            >
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
