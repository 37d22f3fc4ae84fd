import type { Edicion } from '#app/cms/editions/displayed-edition.server.ts'
import { Foto } from '#app/ui/photos/photo.tsx'
import { Carrusel } from '#app/ui/primitives/carousel.tsx'
import styles from './news.module.css'

/** @source §9 */
const CAMBIO = { desvanecidoMs: 250 }

type Noticia = Edicion['inicio']['noticias'][number]

/** The stories, one at a time; a change fades the old one out before the new one comes (§2.3). */
export function Noticias({ noticias }: { noticias: Noticia[] }) {
  return (
    <section className={styles.noticias} aria-labelledby="enterate" aria-roledescription="carrusel">
      <h2 id="enterate">ENTÉRATE</h2>
      <Carrusel
        items={noticias}
        keyOf={({ titulo }, index) => `${index} ${titulo}`}
        nombre="Noticia"
        cambio={CAMBIO}
        puntos
        elemento="article"
        clases={{
          marco: styles.marco,
          controles: styles.controles,
          pista: styles.lista,
          lamina: styles.noticia,
        }}
      >
        {({ titulo, texto, imagen }) => (
          <>
            <Foto imagen={imagen} sizes="(max-width: 639px) 100vw, 46vw" className={styles.foto} />
            <div className={styles.texto}>
              <h3>{titulo}</h3>
              <p>{texto}</p>
            </div>
          </>
        )}
      </Carrusel>
    </section>
  )
}
