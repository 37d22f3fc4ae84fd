import { useEffect, useState } from 'react'
import { cabeza } from '#app/contenido/cabeza.ts'
import { loadEdicion } from '#app/contenido/contenido.server.ts'
import { servicesOf } from '#app/platform/services.server.ts'
import { Mensaje } from '#app/ui/mensaje.tsx'
import type { Route } from './+types/popularidad.page'
import { Ganadora } from './ganadora.tsx'
import { Patrocinadores } from './patrocinadores.tsx'
import { isVotacionAbierta } from './rules.ts'

/** Rendered when asked for: the server's clock says whether the contest is over. */
export async function loader({ context }: Route.LoaderArgs) {
  const { services } = servicesOf(context)
  const { popularidad, candidatas, fechas, anio, tarjetas } = await loadEdicion()
  const { ganadora, patrocinadores } = popularidad
  const tarjeta = tarjetas.misspopularidad
  const candidata = candidatas.find(({ nombre }) => nombre === ganadora?.candidata)
  if (isVotacionAbierta(fechas.cierreVotacion, services.clock.now()) || !ganadora || !candidata)
    return { tarjeta, anio, patrocinadores }
  const { nombre, slug, origen, cumple, carrera, signo } = candidata
  return { tarjeta, anio, patrocinadores, ganadora: { ...ganadora, nombre, slug, origen, cumple, carrera, signo } }
}

export const meta: Route.MetaFunction = (args) => {
  const { ganadora, anio, tarjeta } = args.loaderData ?? {}
  const descripcion = ganadora && `${ganadora.nombre} es Señorita Popularidad ${anio}. ${ganadora.mensaje}`
  return cabeza({ pantalla: 'Miss Popularidad', descripcion, tarjeta }, args)
}

/** The popularity contest once it is over (§2.14). */
export default function Popularidad({ loaderData: { ganadora, anio, patrocinadores } }: Route.ComponentProps) {
  // The first is hidden in part by the window; whoever closes it gets one of their own.
  const [showers, setShowers] = useState(0)
  const shower = () => setShowers((now) => now + 1)
  useEffect(shower, [])
  return (
    <>
      {ganadora ? (
        <Ganadora ganadora={ganadora} anio={anio} lluvias={showers} onLluvia={shower} />
      ) : (
        <Mensaje rotulo={`Señorita Popularidad ${anio}`} titulo="Muy pronto sabremos quién es">
          <p>Aquí conocerás a la ganadora en cuanto cierre la votación y se cuenten los votos.</p>
        </Mensaje>
      )}
      <Patrocinadores patrocinadores={patrocinadores} onCerrar={shower} />
    </>
  )
}
