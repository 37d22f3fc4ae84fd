import type { MetaDescriptor } from 'react-router'
import type { ShareCard } from '#app/cms/media/share-cards.server.ts'

/** What a screen says of itself in the document's head. */
interface PageMeta {
  /** The screen's name, which comes first in the title; none on the home. */
  pantalla?: string | undefined
  /** A sentence or two of the content about the screen; without it, what the edition says of itself. */
  descripcion?: string | undefined
  /** One of `loadEdition()`'s `tarjetas`, handed over by the loader; without it, the home's. */
  tarjeta?: ShareCard | undefined
  /** Type of Open Graph. */
  tipo?: 'website' | 'article' | 'profile'
  /** Query of the shared address, where it says what the card shows: «?vote=2». */
  consulta?: string | undefined
}

/** The arguments of any route's `meta`; typed loosely because every route's matches differ. */
interface Args {
  location: { pathname: string }
  matches: readonly ({ id: string; loaderData?: unknown; handle?: unknown } | undefined)[]
  error?: unknown
}

interface RootData {
  origen: string
  tarjeta: ShareCard
  edicion: { nombre: string; anio: number; descripcion: string }
}

/** Search engines cut longer descriptions. */
const DESCRIPTION_CHARACTERS = 160

/**
 * The head of a screen, complete: title «Candidatas · Señorita Azahares 2025», description, canonical address and the
 * card that is shown where the link is shared.
 *
 *     export const meta: Route.MetaFunction = (args) =>
 *       cabeza({ pantalla: 'Candidatas', tarjeta: args.loaderData?.tarjeta }, args)
 *
 * A screen that search engines leave out says `noindex` in its `handle`; it is then missing from the sitemap, too.
 */
export function pageMeta(
  { pantalla, tipo = 'website', consulta = '', ...propia }: PageMeta,
  args: Args,
): MetaDescriptor[] {
  const root = args.matches.find((match) => match?.id === 'root')?.loaderData as RootData | undefined
  // Without the root's data the screen has failed, and its head says only its name.
  if (!root) return [{ title: pantalla }, { name: 'robots', content: 'noindex' }]
  const { origen, edicion } = root
  const site = `${edicion.nombre} ${edicion.anio}`
  const title = pantalla ? `${pantalla} · ${site}` : site
  const description = truncate(propia.descripcion ?? edicion.descripcion)
  const shareCard = propia.tarjeta ?? root.tarjeta
  const address = origen + args.location.pathname
  const og = Object.entries({
    site_name: edicion.nombre,
    locale: 'es_MX',
    type: tipo,
    title: pantalla ?? site,
    description: description,
    url: address + consulta,
    image: origen + shareCard.url,
    'image:type': 'image/jpeg',
    'image:width': String(shareCard.ancho),
    'image:height': String(shareCard.alto),
    'image:alt': shareCard.alt,
  })
  return [
    { title: title },
    { name: 'description', content: description },
    ...(isHidden(args)
      ? [{ name: 'robots', content: 'noindex' }]
      : [{ tagName: 'link' as const, rel: 'canonical', href: address }]),
    ...og.map(([name, content]) => ({ property: `og:${name}`, content })),
    { name: 'twitter:card', content: 'summary_large_image' },
  ]
}

const isHidden = ({ matches, error }: Args) =>
  Boolean(error) || matches.some((match) => (match?.handle as { noindex?: boolean } | undefined)?.noindex)

/** Whole words, within what search engines show. */
export function truncate(text: string): string {
  const plano = text.replace(/\s+/g, ' ').trim()
  if (plano.length <= DESCRIPTION_CHARACTERS) return plano
  const fits = plano.slice(0, DESCRIPTION_CHARACTERS)
  return `${fits.slice(0, fits.lastIndexOf(' ')).replace(/[\s,;:.–—-]+$/, '')}…`
}
