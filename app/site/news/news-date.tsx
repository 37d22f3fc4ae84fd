import type { NewsItem } from './data.server.ts'

/** Shows a news item's date; an item without a date has its kind instead. */
export const NewsDate = ({ date }: Pick<NewsItem, 'date'>) =>
  date ? <time dateTime={date.iso}>{date.text}</time> : 'Noticia'
