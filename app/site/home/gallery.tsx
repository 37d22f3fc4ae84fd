import { Carousel } from '#app/ui/components/carousel.tsx'
import { Photo, type Picture } from '#app/ui/photos/photo.tsx'
import styles from './gallery.module.css'

/** @source §9 */
const AUTOPLAY = { intervalMs: 3000, pauseLabel: 'Pausar la galería', playLabel: 'Reproducir la galería' }

/** Renders pictures that advance by themselves, and pause under the pointer (§2.3) or the keyboard focus. */
export function Gallery({ pictures }: { pictures: Picture[] }) {
  return (
    <section className={styles.gallery} aria-labelledby="galeria" aria-roledescription="carrusel">
      <h2 id="galeria">GALERIA</h2>
      <Carousel
        items={pictures}
        keyOf={({ base }, index) => `${index} ${base}`}
        itemName="Imagen"
        transition="slide"
        autoplay={AUTOPLAY}
        element="figure"
        classNames={{
          frame: styles.frame,
          controls: styles.controls,
          track: styles.track,
          slide: styles.picture,
        }}
      >
        {(picture) => (
          <Photo picture={picture} sizes="(max-width: 640px) 82vw, min(74vw, 1040px)" className={styles.photo} />
        )}
      </Carousel>
    </section>
  )
}
