import type { ReactNode } from 'react'
import { Enlace } from '#app/ui/links/link.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import { buttonLook } from './button.tsx'
import styles from './message-screen.module.css'

interface Props {
  rotulo: string
  titulo: string
  /** Stands behind the words; without it, the upper half of a lit wheel does. */
  adorno?: ReactNode
  /** A second way on, beside the one to the home. */
  ademas?: ReactNode
  children: ReactNode
}

/** A screen that has one thing to say: not there yet, not there at all, or our fault. */
export function MessageScreen({ rotulo, titulo, adorno, ademas, children }: Props) {
  return (
    <section className={styles.mensaje} data-horizonte={adorno ? undefined : ''}>
      {adorno ?? <span className={styles.rueda} aria-hidden="true" />}
      <p className={styles.rotulo}>{rotulo}</p>
      <h1>{titulo}</h1>
      <div className={styles.texto}>{children}</div>
      <div className={styles.salidas}>
        <Enlace to="/" className={joinClasses(buttonLook(), styles.regreso)}>
          Volver al inicio
        </Enlace>
        {ademas}
      </div>
    </section>
  )
}
