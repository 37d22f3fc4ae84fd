import type { Edition } from '#app/cms/editions/displayed-edition.server.ts'
import { listProgrammeDays } from '#app/cms/schema/programme.ts'
import { withoutMarks } from '#app/core/text/rich-text.ts'
import { imgAttributesOf } from '#app/ui/photos/photo.tsx'

type SchemaOrgObject = { '@type': string } & Record<string, unknown>

/** Breadcrumbs name the site's addresses by these texts. */
const BREADCRUMB_NAMES: Record<string, string> = {
  '/nuestra-historia': 'Nuestra historia',
  '/candidatas': 'Candidatas',
  '/maestros': 'Maestros',
  '/convocatoria': 'Convocatorias',
  '/programa': 'Programa de la feria',
  '/medios': 'Medios',
  '/misspopularidad': 'Miss Popularidad',
  '/registro': 'Registro de Candidatas',
  '/registro-traje-tipico': 'Registro de traje típico',
  '/aviso-de-privacidad': 'Aviso de privacidad',
}

/**
 * Describes a screen in the vocabulary of schema.org: the fair and its final, the news, the people, the breadcrumbs.
 * @param path address of the screen, without origin and query
 * @param origin the site's origin, without a final slash
 * @returns JSON-LD with «<» escaped, safe inside a script element; undefined without data
 */
export function structuredDataOf(path: string, edition: Edition, origin: string): string | undefined {
  const data = [...dataOfScreen(path, edition, origin), ...breadcrumbs(path, edition, origin)]
  if (data.length === 0) return undefined
  return JSON.stringify({ '@context': 'https://schema.org', '@graph': data }).replaceAll('<', '\\u003c')
}

function dataOfScreen(path: string, edition: Edition, origin: string): SchemaOrgObject[] {
  const { nombre, anio, historia, candidatas, maestros } = edition
  const photo = (picture: Parameters<typeof imgAttributesOf>[0]) => origin + imgAttributesOf(picture).src
  if (path === '/') return [...events(edition, origin), ...news(edition, photo, origin)]
  if (path.startsWith('/noticias/')) return news(edition, photo, origin).filter(({ url }) => url === origin + path)
  if (path === '/programa') return programme(edition, origin)
  if (path === '/nuestra-historia') {
    const { reina } = historia
    return [
      {
        '@type': 'Person',
        name: reina.nombre,
        description: reina.bio[0],
        image: photo(reina.foto),
        birthPlace: { '@type': 'Place', name: reina.nacimiento },
        award: nombre,
      },
    ]
  }
  if (path === '/candidatas')
    return candidatas.map((candidate) => ({
      '@type': 'Person',
      name: candidate.nombre,
      description: candidate.semblanza,
      image: photo(candidate.galeria[0]!),
      url: `${origin}/candidatas#${candidate.id}`,
      homeLocation: { '@type': 'Place', name: candidate.origen },
      memberOf: { '@type': 'Organization', name: `${nombre} ${anio}` },
    }))
  return maestros
    .filter(({ slug }) => path === '/maestros' || path === `/maestros/${slug}`)
    .map((one) => ({
      '@type': 'Person',
      name: one.nombre,
      jobTitle: one.puesto.join(' '),
      description: one.bio[0],
      image: photo(one.foto),
      url: `${origin}/maestros/${one.slug}`,
      sameAs: Object.values(one.redes),
    }))
}

function events(
  { nombre, anio, feria, fechas, lugar, redes, descripcion, tarjetas }: Edition,
  origin: string,
): SchemaOrgObject[] {
  const shared = {
    url: `${origin}/`,
    image: origin + tarjetas.inicio.url,
    location: {
      '@type': 'Place',
      name: lugar.ciudad,
      address: {
        '@type': 'PostalAddress',
        streetAddress: lugar.domicilio,
        addressLocality: lugar.ciudad,
        addressRegion: lugar.estado,
        postalCode: lugar.codigoPostal,
        addressCountry: 'MX',
      },
      hasMap: lugar.mapa,
    },
    organizer: { '@type': 'Organization', name: nombre, url: `${origin}/`, sameAs: Object.values(redes) },
  }
  return [
    {
      '@type': 'Festival',
      name: `${feria.nombre} ${anio}`,
      description: descripcion,
      startDate: feria.inicia,
      endDate: feria.termina,
      ...shared,
    },
    { '@type': 'Event', name: `Coronación de ${nombre} ${anio}`, startDate: fechas.coronacion, ...shared },
  ]
}

function programme(edition: Edition, origin: string): SchemaOrgObject[] {
  const { lugar } = edition
  const [festival] = events(edition, origin)
  if (!festival) return []
  const subEvent = listProgrammeDays(edition).flatMap(({ eventos }) =>
    eventos.map(({ id, que, lugar: place, quien, nota, startsAt, endsAt }) => ({
      '@type': 'Event',
      name: que,
      startDate: startsAt,
      ...(endsAt !== undefined && { endDate: endsAt }),
      location: { '@type': 'Place', name: place, address: `${lugar.ciudad}, ${lugar.estado}` },
      ...(quien !== undefined && { performer: { '@type': 'PerformingGroup', name: quien } }),
      ...(nota !== undefined && { description: nota }),
      url: `${origin}/programa#${id}`,
    })),
  )
  return [{ ...festival, url: `${origin}/programa`, image: origin + edition.tarjetas.programa.url, subEvent }]
}

const news = (
  { nombre, inicio }: Edition,
  photo: (picture: Edition['inicio']['galeria'][number]) => string,
  origin: string,
): SchemaOrgObject[] =>
  inicio.noticias.map(({ slug, titulo, fecha, texto, imagen }) => ({
    '@type': 'NewsArticle',
    headline: titulo,
    description: withoutMarks(texto),
    ...(fecha !== undefined && { datePublished: fecha }),
    image: photo(imagen),
    url: `${origin}/noticias/${slug}`,
    publisher: { '@type': 'Organization', name: nombre },
  }))

/** Describes the breadcrumbs: home, section, and the page of a teacher, a call or a news item below it. */
function breadcrumbs(path: string, { maestros, convocatorias, inicio }: Edition, origin: string): SchemaOrgObject[] {
  const slug = path.slice(path.lastIndexOf('/') + 1)
  const section = path.slice(0, -slug.length - 1)
  const items: Record<string, { slug: string; nombre?: string; titulo?: string }[]> = {
    '/maestros': maestros,
    '/convocatoria': convocatorias.anuncios,
    '/noticias': inicio.noticias,
  }
  const item = items[section]?.find((one) => one.slug === slug)
  const steps = item && section in BREADCRUMB_NAMES ? [section, path] : [path]
  const names = steps.map((step) => BREADCRUMB_NAMES[step] ?? item?.nombre ?? item?.titulo)
  if (names.includes(undefined)) return []
  return [
    {
      '@type': 'BreadcrumbList',
      itemListElement: ['/', ...steps].map((step, index) => ({
        '@type': 'ListItem',
        position: index + 1,
        name: index === 0 ? 'Inicio' : names[index - 1],
        item: origin + step,
      })),
    },
  ]
}
