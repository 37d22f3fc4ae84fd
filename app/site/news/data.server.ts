import {
  type Edition,
  listPastEditions,
  loadEdition,
  loadPastEdition,
} from '#app/cms/editions/displayed-edition.server.ts'
import type { ShareCard } from '#app/cms/media/share-cards.server.ts'
import { parseRichText, type RichBlock } from '#app/core/text/rich-text.ts'
import { formatLongDate } from '#app/core/time/mexico-dates.ts'
import type { Picture } from '#app/ui/photos/photo.tsx'

/** A news item as the screens show it. */
export interface NewsItem {
  path: string
  title: string
  /** ISO date, and the date in words. */
  date: { iso: string; text: string } | undefined
  blocks: RichBlock[]
  picture: Picture
}

type StoredItem = Edition['inicio']['noticias'][number]

export const newsPath = (slug: string) => `/noticias/${slug}`

export const toNewsItem = ({ slug, titulo, fecha, texto, imagen }: StoredItem): NewsItem => ({
  path: newsPath(slug),
  title: titulo,
  date: fecha === undefined ? undefined : { iso: fecha, text: formatLongDate(fecha) },
  blocks: parseRichText(texto),
  picture: imagen,
})

/**
 * Lists the news of the displayed edition, then of the past editions, the newest edition first. Two items may have the same slug:
 * its URL then shows the first.
 */
export async function listNews(): Promise<{ stored: StoredItem; shareCard: ShareCard | undefined }[]> {
  const pastEditions = await Promise.all((await listPastEditions()).map(loadPastEdition))
  return [await loadEdition(), ...pastEditions.flatMap((past) => past?.edition ?? [])].flatMap(({ inicio, tarjetas }) =>
    inicio.noticias.map((stored) => ({ stored, shareCard: tarjetas[`noticia-${stored.slug}`] })),
  )
}
