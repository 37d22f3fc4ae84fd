import type { ReactNode } from 'react'
import { useLocation } from 'react-router'
import type { Role } from '#app/accounts/schema.ts'
import { forgetSession } from '#app/accounts/sessions/browser-signals.ts'
import { Link } from '#app/ui/navigation/link.tsx'
import { usePopoverMenu } from '#app/ui/navigation/use-popover-menu.ts'
import { Emblem } from '#app/ui/ornaments/emblem.tsx'
import { ACCOUNT_PATH, isInSection, OTHER_SECTIONS_ID, type PanelSection, sectionsOf } from './sections.ts'
import styles from './shell.module.css'

export interface PanelShellData {
  year: number
  role: Role | null
  hasOtherEditions: boolean
  /** Number of entries; undefined for an account that does not see entries. */
  entryCount: number | undefined
  /** Whether only the account's own screen opens, because a required second factor is missing. */
  isAccountOnly: boolean
  /** Whether the screen has a «Cerrar sesión» button of its own, so that the shell shows none. */
  hasOwnSignOut?: boolean
}

/**
 * Surrounds a panel screen with links to the panel's sections: beside the screen, or on a phone in a bar at the bottom and
 * behind «Más».
 */
export function PanelShell({
  year,
  role,
  hasOtherEditions,
  entryCount,
  isAccountOnly,
  hasOwnSignOut = false,
  children,
}: PanelShellData & { children: ReactNode }) {
  const { pathname } = useLocation()
  const menu = usePopoverMenu<HTMLDivElement>()
  const sections = sectionsOf(role, hasOtherEditions).filter(({ path }) => !isAccountOnly || path === ACCOUNT_PATH)
  const isCurrent = ({ path }: PanelSection) => isInSection(path, pathname, hasOtherEditions)
  const sectionLink = (section: PanelSection) => (
    <Link key={section.path} to={section.path} aria-current={isCurrent(section) ? 'page' : undefined}>
      {section.text}
      {section.resource === 'inscripciones' && entryCount !== undefined && (
        <span>{entryCount.toLocaleString('es-MX')}</span>
      )}
    </Link>
  )
  const otherSections = sections.filter(({ isMain }) => !isMain)
  return (
    <div className={styles.panel}>
      <div className={styles.side}>
        <Link to="/" className={styles.home} aria-label="Inicio">
          <Emblem />
        </Link>
        <p className={styles.edition}>Edición {year}</p>
        <nav className={styles.sections} aria-label="Panel">
          {sections.filter(({ isMain }) => isMain).map(sectionLink)}
          <button
            type="button"
            className={styles.opener}
            popoverTarget={OTHER_SECTIONS_ID}
            title={otherSections.map(({ text }) => text).join(', ')}
            aria-current={otherSections.some(isCurrent) || undefined}
          >
            Más
            <small aria-hidden="true">{otherSections[0]?.text.split(' ', 1)}…</small>
          </button>
          <div ref={menu} id={OTHER_SECTIONS_ID} popover="auto" className={styles.others}>
            <Link to="/" className={styles.home} aria-label="Inicio">
              <Emblem />
            </Link>
            {otherSections.map(sectionLink)}
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
