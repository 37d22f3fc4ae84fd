import type { ReactNode } from 'react'
import { buttonLook } from '#app/ui/button.tsx'
import { unir } from '#app/ui/clases.ts'
import { Emblema } from '#app/ui/emblema.tsx'
import { Enlace } from '#app/ui/enlace.tsx'
import styles from './mensaje.module.css'

interface Props {
  rotulo: string
  titulo: string
  children: ReactNode
}

/** A screen that has one thing to say: not there yet, not there at all, or our fault. */
export function Mensaje({ rotulo, titulo, children }: Props) {
  return (
    <section className={styles.mensaje}>
      <Emblema className={styles.emblema} />
      <p className={styles.rotulo}>{rotulo}</p>
      <h1>{titulo}</h1>
      <div className={styles.texto}>{children}</div>
      <p>
        <Enlace to="/" className={unir(buttonLook(), styles.regreso)}>
          Volver al inicio
        </Enlace>
      </p>
    </section>
  )
}
