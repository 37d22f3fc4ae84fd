import type { MetaDescriptor } from 'react-router'
import type { Tarjeta } from '#app/cms/media/share-cards.server.ts'

/** What a screen says of itself in the document's head. */
interface Cabeza {
  /** The screen's name, which comes first in the title; none on the home. */
  pantalla?: string | undefined
  /** A sentence or two of the content about the screen; without it, what the edition says of itself. */
  descripcion?: string | undefined
  /** One of `loadEdicion()`'s `tarjetas`, handed over by the loader; without it, the home's. */
  tarjeta?: Tarjeta | undefined
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

interface Raiz {
  origen: string
  tarjeta: Tarjeta
  edicion: { nombre: string; anio: number; descripcion: string }
}

/** Search engines cut longer descriptions. */
const DESCRIPCION_CARACTERES = 160

/**
 * The head of a screen, complete: title «Candidatas · Señorita Azahares 2025», description, canonical address and the
 * card that is shown where the link is shared.
 *
 *     export const meta: Route.MetaFunction = (args) =>
 *       cabeza({ pantalla: 'Candidatas', tarjeta: args.loaderData?.tarjeta }, args)
 *
 * A screen that search engines leave out says `noindex` in its `handle`; it is then missing from the sitemap, too.
 */
export function cabeza({ pantalla, tipo = 'website', consulta = '', ...propia }: Cabeza, args: Args): MetaDescriptor[] {
  const raiz = args.matches.find((match) => match?.id === 'root')?.loaderData as Raiz | undefined
  // Without the root's data the screen has failed, and its head says only its name.
  if (!raiz) return [{ title: pantalla }, { name: 'robots', content: 'noindex' }]
  const { origen, edicion } = raiz
  const sitio = `${edicion.nombre} ${edicion.anio}`
  const titulo = pantalla ? `${pantalla} · ${sitio}` : sitio
  const descripcion = recorta(propia.descripcion ?? edicion.descripcion)
  const tarjeta = propia.tarjeta ?? raiz.tarjeta
  const direccion = origen + args.location.pathname
  const og = Object.entries({
    site_name: edicion.nombre,
    locale: 'es_MX',
    type: tipo,
    title: pantalla ?? sitio,
    description: descripcion,
    url: direccion + consulta,
    image: origen + tarjeta.url,
    'image:type': 'image/jpeg',
    'image:width': String(tarjeta.ancho),
    'image:height': String(tarjeta.alto),
    'image:alt': tarjeta.alt,
  })
  return [
    { title: titulo },
    { name: 'description', content: descripcion },
    ...(esOculta(args)
      ? [{ name: 'robots', content: 'noindex' }]
      : [{ tagName: 'link' as const, rel: 'canonical', href: direccion }]),
    ...og.map(([name, content]) => ({ property: `og:${name}`, content })),
    { name: 'twitter:card', content: 'summary_large_image' },
  ]
}

const esOculta = ({ matches, error }: Args) =>
  Boolean(error) || matches.some((match) => (match?.handle as { noindex?: boolean } | undefined)?.noindex)

/** Whole words, within what search engines show. */
export function recorta(texto: string): string {
  const plano = texto.replace(/\s+/g, ' ').trim()
  if (plano.length <= DESCRIPCION_CARACTERES) return plano
  const cabe = plano.slice(0, DESCRIPCION_CARACTERES)
  return `${cabe.slice(0, cabe.lastIndexOf(' ')).replace(/[\s,;:.–—-]+$/, '')}…`
}
