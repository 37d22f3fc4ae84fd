import { Mensaje } from '#app/ui/mensaje.tsx'
import { Orbe } from '#app/ui/orbe.tsx'
import styles from './no-encontrada.module.css'

export function NoEncontrada() {
  return (
    <Mensaje rotulo="Error 404" titulo="Esta página no está en el programa" adorno={<Orbe className={styles.orbe} />}>
      <p>La dirección no existe o cambió de lugar. Desde el inicio se llega a todo lo demás.</p>
    </Mensaje>
  )
}
