import type { Edition } from '#app/cms/editions/displayed-edition.server.ts'
import { listProgrammeDays } from '#app/cms/programme.ts'
import { withoutMarks } from '#app/core/text/rich-text.ts'
import { imgAttributesOf } from '#app/ui/photos/photo.tsx'

type SchemaOrgObject = { '@type': string } & Record<string, unknown>

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
 * Describes a screen in the vocabulary of schema.org: the fair with its final or its programme, the news, the people, the breadcrumbs.
 * @param path of the screen
 * @param origin the site's origin, without a final slash
 * @returns JSON-LD with «<» escaped, safe inside a script element; undefined without data
 */
export function structuredDataOf(path: string, edition: Edition, origin: string): string | undefined {
  const objects = [...screenObjects(path, edition, origin), ...breadcrumbObjects(path, edition, origin)]
  if (objects.length === 0) return undefined
  return JSON.stringify({ '@context': 'https://schema.org', '@graph': objects }).replaceAll('<', '\\u003c')
}

function screenObjects(path: string, edition: Edition, origin: string): SchemaOrgObject[] {
  const { nombre, anio, historia, candidatas, maestros } = edition
  const photoUrl = (picture: Parameters<typeof imgAttributesOf>[0]) => origin + imgAttributesOf(picture).src
  if (path === '/') return [...eventObjects(edition, origin), ...newsObjects(edition, photoUrl, origin)]
  if (path.startsWith('/noticias/'))
    return newsObjects(edition, photoUrl, origin).filter(({ url }) => url === origin + path)
  if (path === '/programa') return programmeObjects(edition, origin)
  if (path === '/nuestra-historia') {
    const { reina } = historia
    return [
      {
        '@type': 'Person',
        name: reina.nombre,
        description: reina.bio[0],
        image: photoUrl(reina.foto),
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
      image: photoUrl(candidate.galeria[0]!),
      url: `${origin}/candidatas#${candidate.id}`,
      homeLocation: { '@type': 'Place', name: candidate.origen },
      memberOf: { '@type': 'Organization', name: `${nombre} ${anio}` },
    }))
  return maestros
    .filter(({ slug }) => path === '/maestros' || path === `/maestros/${slug}`)
    .map((teacher) => ({
      '@type': 'Person',
      name: teacher.nombre,
      jobTitle: teacher.puesto.join(' '),
      description: teacher.bio[0],
      image: photoUrl(teacher.foto),
      url: `${origin}/maestros/${teacher.slug}`,
      sameAs: Object.values(teacher.redes),
    }))
}

function eventObjects(
  { nombre, anio, feria, fechas, lugar, redes, descripcion, tarjetas }: Edition,
  origin: string,
): SchemaOrgObject[] {
  const sharedFields = {
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
      ...sharedFields,
    },
    { '@type': 'Event', name: `Coronación de ${nombre} ${anio}`, startDate: fechas.coronacion, ...sharedFields },
  ]
}

function programmeObjects(edition: Edition, origin: string): SchemaOrgObject[] {
  const { lugar } = edition
  const [festival] = eventObjects(edition, origin)
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

const newsObjects = (
  { nombre, inicio }: Edition,
  photoUrl: (picture: Edition['inicio']['galeria'][number]) => string,
  origin: string,
): SchemaOrgObject[] =>
  inicio.noticias.map(({ slug, titulo, fecha, texto, imagen }) => ({
    '@type': 'NewsArticle',
    headline: titulo,
    description: withoutMarks(texto),
    ...(fecha !== undefined && { datePublished: fecha }),
    image: photoUrl(imagen),
    url: `${origin}/noticias/${slug}`,
    publisher: { '@type': 'Organization', name: nombre },
  }))

/** Describes the breadcrumbs: home, section, and the page of a teacher or a call below it; news items stand directly below home. */
function breadcrumbObjects(
  path: string,
  { maestros, convocatorias, inicio }: Edition,
  origin: string,
): SchemaOrgObject[] {
  const slug = path.slice(path.lastIndexOf('/') + 1)
  const section = path.slice(0, -slug.length - 1)
  const pagesBySection: Record<string, { slug: string; nombre?: string; titulo?: string }[]> = {
    '/maestros': maestros,
    '/convocatoria': convocatorias.anuncios,
    '/noticias': inicio.noticias,
  }
  const page = pagesBySection[section]?.find((sectionPage) => sectionPage.slug === slug)
  const paths = page && section in BREADCRUMB_NAMES ? [section, path] : [path]
  const names = paths.map((itemPath) => BREADCRUMB_NAMES[itemPath] ?? page?.nombre ?? page?.titulo)
  if (names.includes(undefined)) return []
  return [
    {
      '@type': 'BreadcrumbList',
      itemListElement: ['/', ...paths].map((itemPath, index) => ({
        '@type': 'ListItem',
        position: index + 1,
        name: index === 0 ? 'Inicio' : names[index - 1],
        item: origin + itemPath,
      })),
    },
  ]
}
