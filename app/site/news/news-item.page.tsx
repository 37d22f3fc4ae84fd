import { data } from 'react-router'
import { pageMeta } from '#app/cms/page-meta.ts'
import { originOf } from '#app/core/http/services.server.ts'
import { withoutMarks } from '#app/core/text/rich-text.ts'
import { PreviousIcon } from '#app/ui/components/icons.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import { Photo } from '#app/ui/photos/photo.tsx'
import { PhotoHeader } from '#app/ui/photos/photo-header.tsx'
import { ShareButton } from '#app/ui/sharing/share-button.tsx'
import { RichText } from '../rich-text.tsx'
import type { Route } from './+types/news-item.page'
import { listNews, newsPath, toNewsItem } from './data.server.ts'
import styles from './news-item.module.css'

export const handle = { prerender: true }

/** Maximum number of other news items that a news screen links to. */
const OTHER_ITEM_COUNT = 2

export async function loader({ params, context }: Route.LoaderArgs) {
  const news = await listNews()
  const requestedItem = news.find(({ stored }) => stored.slug === params.slug)
  if (!requestedItem) throw data(null, { status: 404 })
  return {
    newsItem: toNewsItem(requestedItem.stored),
    description: withoutMarks(requestedItem.stored.texto),
    shareCard: requestedItem.shareCard,
    otherItems: news
      .filter((item) => item !== requestedItem)
      .slice(0, OTHER_ITEM_COUNT)
      .map(({ stored }) => toNewsItem(stored)),
    url: `${originOf(context)}${newsPath(params.slug)}`,
  }
}

export const meta: Route.MetaFunction = (args) => {
  const { newsItem, description, shareCard } = args.loaderData ?? {}
  return pageMeta({ screen: newsItem?.title, description, shareCard, type: 'article' }, args)
}

export default function NewsItemPage({ loaderData: { newsItem, otherItems, url } }: Route.ComponentProps) {
  const { title, date, blocks, picture } = newsItem
  return (
    <article className={styles.newsItem}>
      <PhotoHeader
        picture={picture}
        kicker={date ? <time dateTime={date.iso}>{date.text}</time> : 'Noticia'}
        title={title}
        className={styles.head}
      />
      <RichText blocks={blocks} className={styles.text} />
      <div className={styles.end}>
        <ShareButton text={`${title}:`} url={url} subject="la noticia" />
        <Link to="/#enterate" className={styles.back}>
          <PreviousIcon />
          Todas las noticias
        </Link>
      </div>
      {otherItems.length > 0 && (
        <nav className={styles.others} aria-label="Otras noticias">
          {otherItems.map((other) => (
            <Link key={other.path} to={other.path}>
              {/* The title beside the picture is the link's whole name. */}
              <Photo picture={{ ...other.picture, alt: '' }} sizes="(max-width: 640px) 40vw, 18rem" />
              <span>
                <b>{other.title}</b>
                {other.date && <time dateTime={other.date.iso}>{other.date.text}</time>}
              </span>
            </Link>
          ))}
        </nav>
      )}
    </article>
  )
}
