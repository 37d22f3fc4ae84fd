import type { ReactNode } from 'react'
import { Enlace } from '#app/ui/links/link.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import { buttonLook } from './button.tsx'
import styles from './message-screen.module.css'

interface Props {
  rotulo: string
  titulo: string
  /** Ornament behind the text; by default the upper half of a lit Ferris wheel. */
  adorno?: ReactNode
  /** A second link, beside the one to the home. */
  ademas?: ReactNode
  children: ReactNode
}

/** A screen with a single message: not open yet, not found, or an error of the site. */
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
