import { useRef } from 'react'
import { cabeza } from '#app/edicion/cabeza.ts'
import { loadEdicion } from '#app/edicion/contenido.server.ts'
import { useHora } from '#app/platform/hora.ts'
import { originOf } from '#app/platform/services.server.ts'
import { useAparicion } from '#app/ui/aparicion.ts'
import { Foto, fuente, type Imagen } from '#app/ui/foto.tsx'
import { MiniaturaVisor, Visor } from '#app/ui/visor.tsx'
import type { Route } from './+types/candidatas.page'
import { Candidata } from './candidata.tsx'
import styles from './candidatas.module.css'

export { shouldRevalidate } from '#app/ui/visor-ancla.ts'

export const handle = { ahead: true }

export async function loader({ context }: Route.LoaderArgs) {
  const { candidatas, grupo, nombre, anio, tarjetas } = await loadEdicion()
  return {
    grupo,
    candidatas: candidatas.map(({ semblanza, antes, prensa, silueta, galeria, ...candidata }) => ({
      ...candidata,
      silueta: sinVista(silueta),
      galeria: galeria.map(sinVista),
    })),
    certamen: `${nombre} ${anio}`,
    direccion: `${originOf(context)}/candidatas`,
    tarjeta: tarjetas.candidatas,
  }
}

/**
 * A photograph without its preview: twenty of them would weigh as much as all the words. The candidate's light stands
 * in its place.
 */
const sinVista = ({ vista, ...imagen }: Imagen): Imagen => imagen

export const meta: Route.MetaFunction = (args) => {
  const nombres = args.loaderData?.candidatas.map(({ nombre }) => nombre)
  return cabeza(
    {
      pantalla: 'Candidatas',
      descripcion: nombres && `Conoce a las candidatas: ${nombres.slice(0, -1).join(', ')} y ${nombres.at(-1)}.`,
      tarjeta: args.loaderData?.tarjeta,
    },
    args,
  )
}

/** On a phone the picture is as wide as its frame's height asks, elsewhere as the frame. */
const GRUPO_SIZES = '(max-width: 640px) 119vw, 95vw'

/** The candidates, one block each, and all their photographs (§2.4). */
export default function Candidatas({ loaderData }: Route.ComponentProps) {
  const { grupo, candidatas, certamen, direccion } = loaderData
  const pantalla = useRef<HTMLDivElement>(null)
  const hora = useHora()
  useAparicion(pantalla)
  const fotos = candidatas.flatMap(({ galeria }) => galeria)
  return (
    <div ref={pantalla}>
      {grupo && (
        <link
          rel="preload"
          as="image"
          type="image/avif"
          imageSrcSet={fuente(grupo, 'avif').srcSet}
          imageSizes={GRUPO_SIZES}
          fetchPriority="high"
        />
      )}
      <header className={styles.titular}>
        <h1>CONOCE A NUESTRAS CANDIDATAS</h1>
      </header>
      {grupo && <Foto imagen={grupo} sizes={GRUPO_SIZES} className={styles.grupo} primera />}
      {candidatas.map((candidata, index) => (
        <Candidata
          key={candidata.id}
          candidata={candidata}
          lugar={index}
          hora={hora}
          texto={`${candidata.nombre}, candidata a ${certamen}:`}
          url={`${direccion}#${candidata.id}`}
        />
      ))}
      <section className={styles.galeria} aria-labelledby="galeria">
        <h2 id="galeria">GALERÍA</h2>
        <div className={styles.fotos}>
          {fotos.map((imagen, index) => (
            <MiniaturaVisor
              key={imagen.base}
              serie="galeria"
              numero={index + 1}
              imagen={imagen}
              sizes="(max-width: 640px) 32vw, 18vw"
              chica
            />
          ))}
        </div>
        <Visor serie="galeria" nombre="Galería de candidatas" imagenes={fotos} />
      </section>
    </div>
  )
}
