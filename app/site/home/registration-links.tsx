import { useLayoutEffect, useRef, useState } from 'react'
import { FORMULARIOS, usePeriodos } from '#app/cms/settings/use-periods.ts'
import { Enlace } from '#app/ui/links/link.tsx'
import styles from './registration-links.module.css'

/**
 * Links to the forms that are open, or when they open. The links' place is kept until that is known; when there is
 * nothing to say, the place closes, but only out of view. Without JavaScript both links stand there, and the forms say
 * the rest.
 * @source D33
 */
export function Registros() {
  const list = useRef<HTMLUListElement>(null)
  const periodos = usePeriodos()
  const [isFolded, setIsFolded] = useState(false)
  const isEmpty = !!periodos && FORMULARIOS.every(({ registro }) => periodos[registro].estado === 'despues')

  useLayoutEffect(() => {
    const isBelow = (list.current?.getBoundingClientRect().top ?? 0) > innerHeight
    setIsFolded(isEmpty && isBelow)
  }, [isEmpty])

  return (
    <ul className={styles.registros} ref={list} hidden={isFolded} data-sabido={periodos !== undefined || undefined}>
      {FORMULARIOS.map(({ registro, a, nombre }) => {
        const periodo = periodos?.[registro]
        if (periodo?.estado === 'despues') return null
        return (
          <li key={registro}>
            {periodo?.estado === 'antes' ? (
              <p className={styles.renglon}>
                <span className={styles.nombre}>{nombre}</span>
                <span className={styles.cuando}>Abre {periodo.cuando}</span>
              </p>
            ) : (
              <Enlace to={a} prefetch="none" className={styles.renglon}>
                <span className={styles.nombre}>{nombre}</span>{' '}
                <span className={styles.cuando}>{periodo && `Hasta ${periodo.cuando}`}</span>{' '}
                <span className={styles.accion}>Registrarse</span>
              </Enlace>
            )}
          </li>
        )
      })}
    </ul>
  )
}
