import { Foto, type Imagen } from '#app/ui/photos/photo.tsx'
import { Carrusel } from '#app/ui/primitives/carousel.tsx'
import styles from './gallery.module.css'

/** @source §9 */
const AVANCE = { cadaMs: 3000, pausar: 'Pausar la galería', reproducir: 'Reproducir la galería' }

/** Pictures that follow one another by themselves until somebody takes an interest (§2.3). */
export function Galeria({ imagenes }: { imagenes: Imagen[] }) {
  return (
    <section className={styles.galeria} aria-labelledby="galeria" aria-roledescription="carrusel">
      <h2 id="galeria">GALERIA</h2>
      <Carrusel
        items={imagenes}
        keyOf={({ base }, index) => `${index} ${base}`}
        nombre="Imagen"
        cambio="fila"
        avance={AVANCE}
        elemento="figure"
        clases={{
          marco: styles.marco,
          controles: styles.controles,
          pista: styles.carril,
          lamina: styles.cuadro,
        }}
      >
        {(imagen) => (
          <Foto imagen={imagen} sizes="(max-width: 700px) 82vw, min(74vw, 1040px)" className={styles.foto} />
        )}
      </Carrusel>
    </section>
  )
}
