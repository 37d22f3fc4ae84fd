import type { Edicion } from '#app/cms/editions/displayed-edition.server.ts'
import { diasDe } from '#app/cms/schema/programme.ts'
import { imagenFinal } from '#app/ui/photos/photo.tsx'

type Datos = { '@type': string } & Record<string, unknown>

/** Names of the site's addresses in breadcrumbs. */
const NOMBRES: Record<string, string> = {
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
 * What a screen says in the vocabulary of schema.org: the fair and its final, the news, the people, the breadcrumbs.
 * @param ruta address of the screen, without origin and query
 * @param origen the site's origin, without a final slash
 * @returns JSON-LD that may stand inside a document; undefined when there is nothing to say
 */
export function datosDe(ruta: string, edicion: Edicion, origen: string): string | undefined {
  const datos = [...propios(ruta, edicion, origen), ...migas(ruta, edicion, origen)]
  if (datos.length === 0) return undefined
  return JSON.stringify({ '@context': 'https://schema.org', '@graph': datos }).replaceAll('<', '\\u003c')
}

function propios(ruta: string, edicion: Edicion, origen: string): Datos[] {
  const { nombre, anio, historia, candidatas, maestros } = edicion
  const foto = (imagen: Parameters<typeof imagenFinal>[0]) => origen + imagenFinal(imagen).src
  if (ruta === '/') return [...eventos(edicion, origen), ...noticias(edicion, foto, origen)]
  if (ruta === '/programa') return programa(edicion, origen)
  if (ruta === '/nuestra-historia') {
    const { reina } = historia
    return [
      {
        '@type': 'Person',
        name: reina.nombre,
        description: reina.bio[0],
        image: foto(reina.foto),
        birthPlace: { '@type': 'Place', name: reina.nacimiento },
        award: nombre,
      },
    ]
  }
  if (ruta === '/candidatas')
    return candidatas.map((una) => ({
      '@type': 'Person',
      name: una.nombre,
      description: una.semblanza,
      image: foto(una.galeria[0]!),
      url: `${origen}/candidatas#${una.id}`,
      homeLocation: { '@type': 'Place', name: una.origen },
      memberOf: { '@type': 'Organization', name: `${nombre} ${anio}` },
    }))
  return maestros
    .filter(({ slug }) => ruta === '/maestros' || ruta === `/maestros/${slug}`)
    .map((uno) => ({
      '@type': 'Person',
      name: uno.nombre,
      jobTitle: uno.puesto.join(' '),
      description: uno.bio[0],
      image: foto(uno.foto),
      url: `${origen}/maestros/${uno.slug}`,
      sameAs: Object.values(uno.redes),
    }))
}

function eventos(
  { nombre, anio, feria, fechas, lugar, redes, descripcion, tarjetas }: Edicion,
  origen: string,
): Datos[] {
  const comun = {
    url: `${origen}/`,
    image: origen + tarjetas.inicio.url,
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
    organizer: { '@type': 'Organization', name: nombre, url: `${origen}/`, sameAs: Object.values(redes) },
  }
  return [
    {
      '@type': 'Festival',
      name: `${feria.nombre} ${anio}`,
      description: descripcion,
      startDate: feria.inicia,
      endDate: feria.termina,
      ...comun,
    },
    { '@type': 'Event', name: `Coronación de ${nombre} ${anio}`, startDate: fechas.coronacion, ...comun },
  ]
}

/** The fair, with everything that takes place at it. */
function programa(edicion: Edicion, origen: string): Datos[] {
  const { lugar } = edicion
  const [festival] = eventos(edicion, origen)
  if (!festival) return []
  const subEvent = diasDe(edicion).flatMap(({ eventos }) =>
    eventos.map(({ id, que, lugar: place, quien, nota, inicia, acaba }) => ({
      '@type': 'Event',
      name: que,
      startDate: inicia,
      ...(acaba !== undefined && { endDate: acaba }),
      location: { '@type': 'Place', name: place, address: `${lugar.ciudad}, ${lugar.estado}` },
      ...(quien !== undefined && { performer: { '@type': 'PerformingGroup', name: quien } }),
      ...(nota !== undefined && { description: nota }),
      url: `${origen}/programa#${id}`,
    })),
  )
  return [{ ...festival, url: `${origen}/programa`, image: origen + edicion.tarjetas.programa.url, subEvent }]
}

const noticias = (
  { nombre, inicio }: Edicion,
  foto: (imagen: Edicion['inicio']['galeria'][number]) => string,
  origen: string,
): Datos[] =>
  inicio.noticias.map(({ titulo, texto, imagen }) => ({
    '@type': 'NewsArticle',
    headline: titulo,
    description: texto,
    image: foto(imagen),
    url: `${origen}/#enterate`,
    publisher: { '@type': 'Organization', name: nombre },
  }))

/** Breadcrumbs: home, section, and a teacher's own page below the teachers'. */
function migas(ruta: string, { maestros }: Edicion, origen: string): Datos[] {
  const maestro = maestros.find(({ slug }) => ruta === `/maestros/${slug}`)
  const pasos = maestro ? ['/maestros', ruta] : [ruta]
  const nombres = pasos.map((paso) => NOMBRES[paso] ?? maestro?.nombre)
  if (nombres.includes(undefined)) return []
  return [
    {
      '@type': 'BreadcrumbList',
      itemListElement: ['/', ...pasos].map((paso, indice) => ({
        '@type': 'ListItem',
        position: indice + 1,
        name: indice === 0 ? 'Inicio' : nombres[indice - 1],
        item: origen + paso,
      })),
    },
  ]
}
