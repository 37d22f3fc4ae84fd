import type { MetaDescriptor } from 'react-router'
import type { ShareCard } from '#app/cms/media/share-cards.server.ts'

/** A screen gives this metadata for the document's head. */
interface PageMeta {
  /** The screen's name, which begins the title; undefined on the home page. */
  screen?: string | undefined
  /** `description` has one or two sentences from the content; without them, the edition's description is used. */
  description?: string | undefined
  /** `shareCard` comes from the loader; without it, the home page's card is used. */
  shareCard?: ShareCard | undefined
  /** The Open Graph type, `og:type` (https://ogp.me). */
  type?: 'website' | 'article' | 'profile'
  /** Part of the shared address if the card depends on it: «?vote=2&candidata=ximena». */
  query?: string | undefined
}

/** Any route's `meta` gets these arguments, typed loosely because every route's matches differ. */
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

/** A description has at most this many characters, since search engines cut longer descriptions. */
const DESCRIPTION_CHARACTERS = 160

/**
 * Builds the head of a screen: title «Candidatas · Señorita Azahares 2025», description, canonical address and share
 * card. A route exports `const meta: Route.MetaFunction = (args) => pageMeta({ … }, args)`.
 * A route with `noindex` in its `handle` is hidden from search engines and left out of the sitemap.
 */
export function pageMeta(
  { screen, type = 'website', query = '', ...screenMeta }: PageMeta,
  args: MetaArgs,
): MetaDescriptor[] {
  const root = args.matches.find((match) => match?.id === 'root')?.loaderData as RootData | undefined
  // Without the root route's data the screen has failed, and its head has only a title.
  if (!root) return [{ title: screen }, { name: 'robots', content: 'noindex' }]
  const { origin, edition } = root
  const site = `${edition.nombre} ${edition.anio}`
  const title = screen ? `${screen} · ${site}` : site
  const description = truncate(screenMeta.description ?? edition.descripcion)
  const shareCard = screenMeta.shareCard ?? root.shareCard
  const address = origin + args.location.pathname
  const og = Object.entries({
    site_name: edition.nombre,
    locale: 'es_MX',
    type,
    title: screen ?? site,
    description,
    url: address + query,
    image: origin + shareCard.url,
    'image:type': 'image/jpeg',
    'image:width': String(shareCard.width),
    'image:height': String(shareCard.height),
    'image:alt': shareCard.alt,
  })
  return [
    { title },
    { name: 'description', content: description },
    ...(isHidden(args)
      ? [{ name: 'robots', content: 'noindex' }]
      : [{ tagName: 'link' as const, rel: 'canonical', href: address }]),
    ...og.map(([name, content]) => ({ property: `og:${name}`, content })),
    { name: 'twitter:card', content: 'summary_large_image' },
  ]
}

const isHidden = ({ matches, error }: MetaArgs) =>
  Boolean(error) || matches.some((match) => (match?.handle as { noindex?: boolean } | undefined)?.noindex)

/** Shortens a text to whole words, within DESCRIPTION_CHARACTERS. */
export function truncate(text: string): string {
  const plain = text.replace(/\s+/g, ' ').trim()
  if (plain.length <= DESCRIPTION_CHARACTERS) return plain
  const fits = plain.slice(0, DESCRIPTION_CHARACTERS)
  return `${fits.slice(0, fits.lastIndexOf(' ')).replace(/[\s,;:.–—-]+$/, '')}…`
}
