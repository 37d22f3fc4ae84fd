import { Rueda } from '#app/ui/adornos.tsx'
import { Mensaje } from '#app/ui/mensaje.tsx'
import styles from './no-encontrada.module.css'

export function NoEncontrada() {
  return (
    <Mensaje rotulo="Error 404" titulo="Esta página no está en el programa" adorno={<Rueda className={styles.rueda} />}>
      <p>La dirección no existe o cambió de lugar. Desde el inicio se llega a todo lo demás.</p>
    </Mensaje>
  )
}
