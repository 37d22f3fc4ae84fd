import { useEffect, useRef, useState } from 'react'
import { REGISTRATION_FORMS, usePeriods } from '#app/cms/edition-settings/use-periods.ts'
import { Link } from '#app/ui/navigation/link.tsx'
import styles from './registration-links.module.css'

/**
 * Renders links to the open forms, or the dates of their opening. Until the periods are known, the links' place is reserved; if all
 * periods are over, the place is removed while it is out of view. Without JavaScript both links are shown, and the forms' screens
 * state their periods.
 */
export function RegistrationLinks() {
  const list = useRef<HTMLUListElement>(null)
  const periods = usePeriods()
  const [isFolded, setIsFolded] = useState(false)
  const isEmpty =
    !!periods && REGISTRATION_FORMS.every(({ registration }) => periods[registration].estado === 'despues')

  useEffect(() => {
    if (!isEmpty) return setIsFolded(false)
    const observer = new IntersectionObserver(([entry]) => {
      // Safari does not keep the view in its place when a part above it is removed.
      const isSafe = entry!.boundingClientRect.top > 0 || CSS.supports('overflow-anchor', 'auto')
      if (!entry!.isIntersecting && isSafe) setIsFolded(true)
    })
    observer.observe(list.current!)
    return () => observer.disconnect()
  }, [isEmpty])

  return (
    <ul className={styles.registrations} ref={list} hidden={isFolded} data-known={periods !== undefined || undefined}>
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
