import { useEffect, useRef } from 'react'
import { useLocation } from 'react-router'
import { Enlace } from '#app/ui/links/link.tsx'
import { Emblem } from '#app/ui/ornaments/emblem.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './header.module.css'
import { actualDe, NAVIGATION } from './navigation.ts'

export function Header() {
  const menu = useRef<HTMLElement>(null)
  const { key, pathname } = useLocation()
  useScrolledMark()
  const actual = (a: string) => actualDe(a, pathname)

  // The menu closes whenever the visitor has gone somewhere. A menu opened before the page was alive stays open.
  const place = useRef(key)
  useEffect(() => {
    if (place.current === key) return
    place.current = key
    if (menu.current?.matches(':popover-open')) menu.current.hidePopover()
  }, [key])

  // On a wide screen the navigation stands in the header, so it must leave the menu's layer when a phone is turned.
  useEffect(() => {
    const wide = matchMedia('(min-width: 901px)')
    const close = () => {
      if (wide.matches && menu.current?.matches(':popover-open')) menu.current.hidePopover()
    }
    wide.addEventListener('change', close)
    return () => wide.removeEventListener('change', close)
  }, [])

  return (
    <header className={joinClasses(styles.cabecera, pathname === '/' && styles.inicio)}>
      {/* Where the navigation is a menu, the crown stands in the header too. */}
      <Enlace to="/" prefetch="intent" className={joinClasses(styles.corona, styles.suelta)} aria-label="Inicio">
        <Emblem />
      </Enlace>
      {/* The platform's popover opens, closes and hands the focus back by itself, even without JavaScript. */}
      <button type="button" className={styles.boton} popoverTarget="menu" aria-label="Menú">
        <span />
        <span />
      </button>
      <nav ref={menu} id="menu" popover="auto" className={styles.menu} aria-label="Principal">
        <Enlace to="/" prefetch="intent" className={styles.corona} aria-label="Inicio" aria-current={actual('/')}>
          <Emblem />
        </Enlace>
        {NAVIGATION.map(({ a, texto }) => (
          <Enlace
            key={a}
            to={a}
            className={joinClasses(a === '/misspopularidad' && styles.respira)}
            aria-current={actual(a)}
          >
            <span>{texto}</span>
          </Enlace>
        ))}
        <button
          type="button"
          className={styles.cerrar}
          popoverTarget="menu"
          popoverTargetAction="hide"
          aria-label="Cerrar menú"
        />
        <span className={styles.adorno} aria-hidden="true" />
      </nav>
    </header>
  )
}

/**
 * Marks the document while the page is scrolled; until it is hydrated, the served page's own script does
 * (app/core/http/defer-scripts.server.ts).
 */
function useScrolledMark(): void {
  useEffect(() => {
    const mark = () => document.documentElement.toggleAttribute('data-bajada', scrollY > 0)
    mark()
    addEventListener('scroll', mark, { passive: true })
    return () => removeEventListener('scroll', mark)
  }, [])
}
