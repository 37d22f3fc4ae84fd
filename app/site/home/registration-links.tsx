import { useEffect, useRef, useState } from 'react'
import { REGISTRATION_FORMS, usePeriods, usePhase } from '#app/cms/edition-settings/use-periods.ts'
import { Link } from '#app/ui/navigation/link.tsx'
import styles from './registration-links.module.css'

/**
 * Renders links to the open forms, or the dates of their opening. Nothing is shown where the document knows that all periods are
 * over. Elsewhere a place for both links is reserved until the periods are known, and shrinks to the links that there are while it
 * is out of view. Without JavaScript, or an answer, both links stay, and the forms' screens state their periods.
 */
export function RegistrationLinks() {
  const list = useRef<HTMLUListElement>(null)
  const periods = usePeriods()
  const isEmpty = usePhase()?.sinRegistros === true
  const content = isEmpty ? 'none' : periods ? 'links' : undefined
  /** Content to whose size the place has shrunk. */
  const [fittedTo, setFittedTo] = useState(isEmpty ? content : undefined)
  const isFitted = content !== undefined && fittedTo === content

  useEffect(() => {
    if (content === undefined || isFitted) return
    const observer = new IntersectionObserver(([entry]) => {
      // Safari does not keep the view in its place when a part above it is removed.
      const isSafe = entry!.boundingClientRect.top > 0 || CSS.supports('overflow-anchor', 'auto')
      if (!entry!.isIntersecting && isSafe) setFittedTo(content)
    })
    observer.observe(list.current!)
    return () => observer.disconnect()
  }, [content, isFitted])

  return (
    <ul
      className={styles.registrations}
      ref={list}
      hidden={isEmpty && isFitted}
      data-known={periods !== undefined || undefined}
      data-fitted={isFitted || undefined}
    >
      {REGISTRATION_FORMS.map(({ registration, path, label }) => {
        const period = periods?.[registration]
        if (period?.estado === 'despues') return null
        return (
          <li key={registration}>
            {period?.estado === 'antes' ? (
              <p className={styles.line}>
                <span className={styles.name}>{label}</span>
                <span className={styles.when}>Abre {period.cuando}</span>
              </p>
            ) : (
              <Link to={path} prefetch="none" className={styles.line}>
                <span className={styles.name}>{label}</span>{' '}
                <span className={styles.when}>{period && `Hasta ${period.cuando}`}</span>{' '}
                <span className={styles.action}>Registrarse</span>
              </Link>
            )}
          </li>
        )
      })}
    </ul>
  )
}
