import { Photo, type Picture } from '#app/ui/photos/photo.tsx'
import { Carousel } from '#app/ui/primitives/carousel.tsx'
import styles from './gallery.module.css'

/** @source §9 */
const AUTOPLAY = { cadaMs: 3000, pausar: 'Pausar la galería', reproducir: 'Reproducir la galería' }

/** Pictures that follow one another by themselves, and rest under the pointer or the keyboard focus (§2.3). */
export function Gallery({ imagenes }: { imagenes: Picture[] }) {
  return (
    <section className={styles.galeria} aria-labelledby="galeria" aria-roledescription="carrusel">
      <h2 id="galeria">GALERIA</h2>
      <Carousel
        items={imagenes}
        keyOf={({ base }, index) => `${index} ${base}`}
        nombre="Imagen"
        cambio="fila"
        avance={AUTOPLAY}
        elemento="figure"
        clases={{
          marco: styles.marco,
          controles: styles.controles,
          pista: styles.carril,
          lamina: styles.cuadro,
        }}
      >
        {(picture) => (
          <Photo imagen={picture} sizes="(max-width: 700px) 82vw, min(74vw, 1040px)" className={styles.foto} />
        )}
      </Carousel>
    </section>
  )
}
