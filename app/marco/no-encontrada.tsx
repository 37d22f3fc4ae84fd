import { buttonLook } from '#app/ui/button.tsx'
import { Enlace } from '#app/ui/enlace.tsx'
import { Mensaje } from '#app/ui/mensaje.tsx'
import { RuedaDeNoche } from '#app/ui/rueda-de-noche.tsx'

export function NoEncontrada() {
  return (
    <Mensaje
      rotulo="Error 404"
      titulo="Esta página no está en el programa"
      adorno={<RuedaDeNoche />}
      ademas={
        <Enlace to="/programa" className={buttonLook('quiet')}>
          Ver el programa de la feria
        </Enlace>
      }
    >
      <p>La dirección no existe o cambió de lugar. Desde el inicio se llega a todo lo demás.</p>
    </Mensaje>
  )
}
