import { Carousel } from '#app/ui/components/carousel.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import { Photo } from '#app/ui/photos/photo.tsx'
import type { NewsItem } from '../news/data.server.ts'
import { RichText } from '../rich-text.tsx'
import styles from './news.module.css'

/** @source §9 */
const TRANSITION = { fadeMs: 250 }

/** Renders the news items, one at a time: the old one fades out before the next one appears (§2.3). */
export function News({ newsItems }: { newsItems: NewsItem[] }) {
  return (
    <section className={styles.news} aria-labelledby="enterate" aria-roledescription="carrusel">
      <h2 id="enterate">ENTÉRATE</h2>
      <Carousel
        items={newsItems}
        keyOf={({ path }) => path}
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
        {({ path, title, date, blocks, picture }) => (
          <>
            <Photo picture={picture} sizes="(max-width: 640px) 100vw, 46vw" className={styles.photo} />
            <div className={styles.text}>
              <h3>
                <Link to={path}>{title}</Link>
              </h3>
              {date && (
                <p className={styles.date}>
                  <time dateTime={date.iso}>{date.text}</time>
                </p>
              )}
              <RichText blocks={blocks} className={styles.body} />
            </div>
          </>
        )}
      </Carousel>
    </section>
  )
}
