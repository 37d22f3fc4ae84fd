import type { MetaDescriptor } from 'react-router'
import type { ShareCard } from '#app/cms/media/share-cards.server.ts'

interface PageMeta {
  /** Name of the screen, which begins the title; undefined on the home page. */
  screen?: string | undefined
  /** One or two sentences from the content, by default the edition's description. */
  description?: string | undefined
  /** Share card from the loader, by default the home page's. */
  shareCard?: ShareCard | undefined
  /** The Open Graph type, `og:type` (https://ogp.me). */
  type?: 'website' | 'article' | 'profile'
  /** Query of the shared URL if the card depends on it: «?vote=2&candidata=ximena». */
  query?: string | undefined
}

/** Arguments of any route's `meta`, typed loosely since every route has other matches. */
interface MetaArgs {
  location: { pathname: string }
  matches: readonly ({ id: string; loaderData?: unknown; handle?: unknown } | undefined)[]
  error?: unknown
}

interface RootData {
  origin: string
  shareCard: ShareCard
  edition: { nombre: string; anio: number; descripcion: string }
}

/** Maximum length of a description, since search engines cut longer ones. */
const MAX_DESCRIPTION_CHARACTERS = 160

/**
 * Builds the metadata of a screen: title «Candidatas · Señorita Azahares 2025», description, canonical URL and share card.
 * A route exports `const meta: Route.MetaFunction = (args) => pageMeta({ … }, args)`.
 * A screen with an error is hidden from search engines, and so is a route with `noindex` in its `handle`, which is also left out
 * of the sitemap.
 */
export function pageMeta(
  { screen, type = 'website', query = '', ...screenMeta }: PageMeta,
  args: MetaArgs,
): MetaDescriptor[] {
  const root = args.matches.find((match) => match?.id === 'root')?.loaderData as RootData | undefined
  // Without the root route's data the screen has failed, and there is nothing but its title to describe it.
  if (!root) return [{ title: screen }, { name: 'robots', content: 'noindex' }]
  const { origin, edition } = root
  const site = `${edition.nombre} ${edition.anio}`
  const title = screen ? `${screen} · ${site}` : site
  const description = truncate(screenMeta.description ?? edition.descripcion)
  const shareCard = screenMeta.shareCard ?? root.shareCard
  const canonicalUrl = origin + args.location.pathname
  const openGraph = Object.entries({
    site_name: edition.nombre,
    locale: 'es_MX',
    type,
    title: screen ?? site,
    description,
    url: canonicalUrl + query,
    image: origin + shareCard.url,
    'image:type': 'image/jpeg',
    'image:width': String(shareCard.width),
    'image:height': String(shareCard.height),
    'image:alt': shareCard.alt,
  })
  return [
    { title },
    { name: 'description', content: description },
    ...(isHiddenFromSearch(args)
      ? [{ name: 'robots', content: 'noindex' }]
      : [{ tagName: 'link' as const, rel: 'canonical', href: canonicalUrl }]),
    ...openGraph.map(([name, content]) => ({ property: `og:${name}`, content })),
    { name: 'twitter:card', content: 'summary_large_image' },
  ]
}

const isHiddenFromSearch = ({ matches, error }: MetaArgs) =>
  Boolean(error) || matches.some((match) => (match?.handle as { noindex?: boolean } | undefined)?.noindex)

/** Shortens a text to MAX_DESCRIPTION_CHARACTERS at a word boundary, and ends it with «…». */
export function truncate(text: string): string {
  const plainText = text.replace(/\s+/g, ' ').trim()
  if (plainText.length <= MAX_DESCRIPTION_CHARACTERS) return plainText
  const prefix = plainText.slice(0, MAX_DESCRIPTION_CHARACTERS)
  return `${prefix.slice(0, prefix.lastIndexOf(' ')).replace(/[\s,;:.–—-]+$/, '')}…`
}
