import type { Edition } from '#app/cms/editions/displayed-edition.server.ts'
import { Carousel } from '#app/ui/components/carousel.tsx'
import { Photo } from '#app/ui/photos/photo.tsx'
import styles from './news.module.css'

/** Section 9 of the specification gives the transition. @source §9 */
const TRANSITION = { fadeMs: 250 }

type NewsItem = Edition['inicio']['noticias'][number]

/** Shows the news items, one at a time; the old one fades out before the new one comes (§2.3). */
export function News({ newsItems }: { newsItems: NewsItem[] }) {
  return (
    <section className={styles.news} aria-labelledby="enterate" aria-roledescription="carrusel">
      <h2 id="enterate">ENTÉRATE</h2>
      <Carousel
        items={newsItems}
        keyOf={({ titulo }, index) => `${index} ${titulo}`}
        itemName="Noticia"
        transition={TRANSITION}
        hasDots
        element="article"
        classNames={{
          frame: styles.frame,
          controls: styles.controls,
          track: styles.list,
          slide: styles.newsItem,
        }}
      >
        {({ titulo, texto, imagen }) => (
          <>
            <Photo picture={imagen} sizes="(max-width: 640px) 100vw, 46vw" className={styles.photo} />
            <div className={styles.text}>
              <h3>{titulo}</h3>
              <p>{texto}</p>
            </div>
          </>
        )}
      </Carousel>
    </section>
  )
}
