import { data } from 'react-router'
import { pageMeta } from '#app/cms/page-meta.ts'
import { originOf } from '#app/core/http/services.server.ts'
import { withoutMarks } from '#app/core/text/rich-text.ts'
import { PreviousIcon } from '#app/ui/components/icons.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import { PhotoHeader } from '#app/ui/photos/photo-header.tsx'
import { ShareButton } from '#app/ui/sharing/share-button.tsx'
import { RichText } from '../rich-text.tsx'
import type { Route } from './+types/news-item.page'
import { listNews, newsPath, toNewsItem } from './data.server.ts'
import styles from './news-item.module.css'

export const handle = { prerender: true }

export async function loader({ params, context }: Route.LoaderArgs) {
  const found = (await listNews()).find(({ stored }) => stored.slug === params.slug)
  if (!found) throw data(null, { status: 404 })
  return {
    newsItem: toNewsItem(found.stored),
    description: withoutMarks(found.stored.texto),
    shareCard: found.shareCard,
    url: `${originOf(context)}${newsPath(params.slug)}`,
  }
}

export const meta: Route.MetaFunction = (args) => {
  const { newsItem, description, shareCard } = args.loaderData ?? {}
  return pageMeta({ screen: newsItem?.title, description, shareCard, type: 'article' }, args)
}

/** Shows a news item at an address of its own. */
export default function NewsItemPage({ loaderData: { newsItem, url } }: Route.ComponentProps) {
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
    </article>
  )
}
