import { Mensaje } from './mensaje.tsx'

export function NoEncontrada() {
  return (
    <Mensaje rotulo="Error 404" titulo="Esta página no está en el programa">
      <p>La dirección no existe o cambió de lugar. Desde el inicio se llega a todo lo demás.</p>
    </Mensaje>
  )
}
