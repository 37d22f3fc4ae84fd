import type { ReactNode } from 'react'
import { useLocation } from 'react-router'
import type { Role } from '#app/accounts/schema.ts'
import { forgetSession } from '#app/accounts/sessions/browser-signals.ts'
import { Link } from '#app/ui/navigation/link.tsx'
import { usePopoverMenu } from '#app/ui/navigation/use-popover-menu.ts'
import { Emblem } from '#app/ui/ornaments/emblem.tsx'
import styles from './frame.module.css'
import { ACCOUNT_PATH, isInSection, type Section, sectionsOf } from './sections.ts'

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

/** Frames every panel screen with the sections, which stand beside the screen, or on a phone at its foot and behind «Más». */
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
  const menu = usePopoverMenu<HTMLDivElement>()
  const sections = sectionsOf(role, hasOtherEditions).filter(({ path }) => !isAccountOnly || path === ACCOUNT_PATH)
  const isCurrent = ({ path }: Section) => isInSection(path, pathname, hasOtherEditions)
  const linkTo = (section: Section) => (
    <Link key={section.path} to={section.path} aria-current={isCurrent(section) ? 'page' : undefined}>
      {section.text}
      {section.resource === 'inscripciones' && entryCount !== undefined && (
        <span>{entryCount.toLocaleString('es-MX')}</span>
      )}
    </Link>
  )
  const others = sections.filter(({ isMain }) => !isMain)
  return (
    <div className={styles.panel}>
      <div className={styles.side}>
        <Link to="/" className={styles.home} aria-label="Inicio">
          <Emblem />
        </Link>
        <p className={styles.edition}>Edición {year}</p>
        <nav className={styles.sections} aria-label="Panel">
          {sections.filter(({ isMain }) => isMain).map(linkTo)}
          <button
            type="button"
            className={styles.opener}
            popoverTarget="mas"
            aria-current={others.some(isCurrent) || undefined}
          >
            Más
          </button>
          <div ref={menu} id="mas" popover="auto" className={styles.others}>
            <Link to="/" className={styles.home} aria-label="Inicio">
              <Emblem />
            </Link>
            {others.map(linkTo)}
            {!hasOwnSignOut && (
              <form method="post" action="/sesion" onSubmit={forgetSession}>
                <button type="submit">Cerrar sesión</button>
              </form>
            )}
          </div>
        </nav>
      </div>
      {children}
    </div>
  )
}
