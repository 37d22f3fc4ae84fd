import { enHora } from '#app/core/time/mexico-dates.ts'
import type { Estado } from '#app/panel/editor/draft-client.ts'
import styles from './edit-form.module.css'

/** How it stands with what was typed, in words. */
export function EstadoDelBorrador({ estado }: { estado: Estado }) {
  return (
    <p className={styles.estado} data-clase={estado.clase} role="status">
      {palabras(estado)}
    </p>
  )
}

function palabras(estado: Estado): string {
  if (estado.clase === 'guardando') return 'Guardando…'
  if (estado.clase === 'sin-linea') return 'Sin línea: se guarda en cuanto vuelva'
  if (estado.clase === 'sin-sesion') return 'Sin sesión: se guarda cuando entres'
  if (estado.clase === 'falla') return 'Todavía no se guarda'
  return estado.at === undefined ? 'Todo está guardado' : `Guardado a las ${enHora(new Date(estado.at))}`
}
