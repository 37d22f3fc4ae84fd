import { buttonLook } from '#app/ui/button.tsx'
import { unir } from '#app/ui/clases.ts'
import { Enlace } from '#app/ui/enlace.tsx'
import { Mensaje } from '#app/ui/mensaje.tsx'
import { RuedaDeNoche } from '#app/ui/rueda-de-noche.tsx'
import styles from './no-encontrada.module.css'

export function NoEncontrada() {
  return (
    <Mensaje
      rotulo="Error 404"
      titulo="Esta página no está en el programa"
      adorno={<RuedaDeNoche />}
      ademas={
        <Enlace to="/programa" className={unir(buttonLook('quiet'), styles.programa)}>
          Ver el programa de la feria
        </Enlace>
      }
    >
      <p>La dirección no existe o cambió de lugar. Desde el inicio se llega a todo lo demás.</p>
    </Mensaje>
  )
}
