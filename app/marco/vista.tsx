import { fechaYHora } from '#app/platform/fechas.ts'
import styles from './vista.module.css'

/** Stands over every screen that an organiser sees as it would be. */
export default function MarcaDeVista({ momento }: { momento: string | undefined }) {
  return (
    <aside className={styles.vista} aria-label="Vista previa">
      <p>
        <strong>Vista previa</strong>{' '}
        {momento === undefined ? 'Así quedaría el sitio.' : `Así se vería el ${fechaYHora(new Date(momento))}.`}
      </p>
      <a href="/organizadores/sitio/ver" className={styles.salir}>
        Salir o cambiar la hora
      </a>
    </aside>
  )
}
