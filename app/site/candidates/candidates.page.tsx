import { memo, useRef } from 'react'
import { loadEdicion } from '#app/cms/editions/displayed-edition.server.ts'
import { cabeza } from '#app/cms/page-meta.ts'
import { originOf } from '#app/core/http/services.server.ts'
import { enLista } from '#app/core/text/sentence-list.ts'
import { useHora } from '#app/core/time/use-site-time.ts'
import { MasAbajo, useMasAbajo } from '#app/ui/loading/below-fold.tsx'
import { useAparicion } from '#app/ui/motion/reveal-in-view.ts'
import { MiniaturaVisor, Visor } from '#app/ui/photos/lightbox.tsx'
import { Foto, fuente, type Imagen } from '#app/ui/photos/photo.tsx'
import type { Route } from './+types/candidates.page'
import { Candidata } from './candidate.tsx'
import styles from './candidates.module.css'
import { Pronto } from './coming-soon.tsx'

export { shouldRevalidate } from '#app/ui/photos/lightbox-hash.ts'

export const handle = { ahead: true }

export async function loader({ context }: Route.LoaderArgs) {
  const { candidatas, retiradas, grupo, nombre, anio, tarjetas, convocatorias } = await loadEdicion()
  const certamen = `${nombre} ${anio}`
  const nombres = candidatas.map((una) => una.nombre)
  return {
    descripcion:
      nombres.length > 0
        ? `Conoce a las candidatas: ${enLista(nombres)}.`
        : `Pronto conocerás a las candidatas de ${certamen}.`,
    grupo,
    candidatas: candidatas.map(({ semblanza, antes, prensa, silueta, galeria, ...candidata }) => ({
      ...candidata,
      silueta: sinVista(silueta),
      galeria: galeria.map(sinVista),
    })),
    /** Addresses of those who take no part any more. */
    retiradas: retiradas.map(({ id }) => id),
    certamen,
    /** The calls, while nobody is announced. */
    anuncios: candidatas.length === 0 ? convocatorias.anuncios : [],
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
  const { descripcion, tarjeta } = args.loaderData ?? {}
  return cabeza({ pantalla: 'Candidatas', descripcion, tarjeta }, args)
}

const GRUPO_SIZES = '95vw'

/**
 * How many columns of photographs stand beside each other on a wide screen, so that no row has one alone; of two or
 * three candidates the photographs stand in one grid.
 */
const columnasDe = (cuantas: number) =>
  cuantas < 4 ? 'una' : cuantas === 7 ? 4 : (SIN_SOBRA.find((n) => cuantas % n === 0) ?? 6)
const SIN_SOBRA = [5, 6, 4]

/** The candidates, one block each, and all their photographs (§2.4). */
export default memo(function Candidatas({ loaderData }: Route.ComponentProps) {
  const { grupo, candidatas, retiradas, certamen, anuncios, direccion } = loaderData
  const pantalla = useRef<HTMLDivElement>(null)
  const hora = useHora()
  const abajo = useMasAbajo()
  useAparicion(pantalla, abajo)
  const fotos = candidatas.flatMap(({ galeria }) => galeria)
  const pies = candidatas.flatMap(({ nombre, galeria }) => galeria.map(() => nombre))
  if (candidatas.length === 0) return <Pronto certamen={certamen} anuncios={anuncios} />
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
      {/* Shown where her own address is opened, with or without the page's script; nothing else is left of her. */}
      {retiradas.map((id) => (
        <p key={id} id={id} className={styles.retirada}>
          Esta candidata ya no participa en el certamen.
        </p>
      ))}
      <header className={styles.titular}>
        <h1>CONOCE A NUESTRAS CANDIDATAS</h1>
      </header>
      {grupo && <Foto imagen={grupo} sizes={GRUPO_SIZES} className={styles.grupo} primera />}
      {(abajo ? candidatas : candidatas.slice(0, 1)).map((candidata, index) => (
        <Candidata
          key={candidata.id}
          candidata={candidata}
          lugar={index}
          hora={hora}
          texto={`${candidata.nombre}, candidata a ${certamen}:`}
          url={`${direccion}#${candidata.id}`}
        />
      ))}
      <MasAbajo si={abajo}>
        <section className={styles.galeria} aria-labelledby="galeria">
          <h2 id="galeria">GALERÍA</h2>
          <div className={styles.fotos} data-columnas={columnasDe(candidatas.length)}>
            {candidatas.map(({ id, galeria }, place) => (
              <div key={id} className={styles.suyas}>
                {galeria.map((imagen, index) => (
                  <MiniaturaVisor
                    key={imagen.base}
                    serie="galeria"
                    numero={candidatas.slice(0, place).flatMap((una) => una.galeria).length + index + 1}
                    imagen={imagen}
                    sizes={`(max-width: 640px) ${index === 0 ? 60 : 30}vw, 18vw`}
                    chica
                  />
                ))}
              </div>
            ))}
          </div>
          <Visor serie="galeria" nombre="Galería de candidatas" imagenes={fotos} pies={pies} />
        </section>
      </MasAbajo>
    </div>
  )
})
