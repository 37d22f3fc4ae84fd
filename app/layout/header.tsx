import { useEffect } from 'react'
import { useLocation } from 'react-router'
import { Link } from '#app/ui/navigation/link.tsx'
import { usePopoverMenu } from '#app/ui/navigation/use-popover-menu.ts'
import { Emblem } from '#app/ui/ornaments/emblem.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './header.module.css'
import { ariaCurrentOf, NAVIGATION } from './navigation.ts'

export function Header() {
  const menu = usePopoverMenu<HTMLElement>()
  const { pathname } = useLocation()
  useScrolledMark()
  const currentFor = (path: string) => ariaCurrentOf(path, pathname)

  return (
    <header className={joinClasses(styles.header, pathname === '/' && styles.home)}>
      {/* On narrow screens, where the navigation is a menu, the header shows the crown, too. */}
      <Link to="/" prefetch="intent" className={joinClasses(styles.crown, styles.outsideMenu)} aria-label="Inicio">
        <Emblem />
      </Link>
      {/* The Popover API opens and closes the menu and returns the focus without JavaScript. */}
      <button type="button" className={styles.button} popoverTarget="menu" aria-label="Menú">
        <span />
        <span />
      </button>
      <nav ref={menu} id="menu" popover="auto" className={styles.menu} aria-label="Principal">
        <Link to="/" prefetch="intent" className={styles.crown} aria-label="Inicio" aria-current={currentFor('/')}>
          <Emblem />
        </Link>
        {NAVIGATION.map(({ path, label }) => (
          <Link
            key={path}
            to={path}
            className={joinClasses(path === '/misspopularidad' && styles.glowing)}
            aria-current={currentFor(path)}
          >
            <span>{label}</span>
          </Link>
        ))}
        <button
          type="button"
          className={styles.close}
          popoverTarget="menu"
          popoverTargetAction="hide"
          aria-label="Cerrar menú"
        />
        <span className={styles.ornament} aria-hidden="true" />
      </nav>
    </header>
  )
}

/**
 * Sets `data-scrolled` on the document while the page is scrolled. Before hydration an inline script does so
 * (app/core/http/prioritize-first-picture.server.ts).
 */
function useScrolledMark(): void {
  useEffect(() => {
    const updateMark = () => document.documentElement.toggleAttribute('data-scrolled', scrollY > 0)
    updateMark()
    addEventListener('scroll', updateMark, { passive: true })
    return () => removeEventListener('scroll', updateMark)
  }, [])
}
