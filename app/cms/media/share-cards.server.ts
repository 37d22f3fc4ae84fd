import type { Photo, TONES } from '#app/cms/schema/edition-documents.ts'
import { withSlugs } from '#app/cms/schema/item-slugs.ts'
import type { EditionDocuments } from '#app/cms/schema/read-content.server.ts'
import { slugOf } from '#app/cms/schema/slug.ts'
import { formatDateRange, formatLongDate } from '#app/core/time/mexico-dates.ts'

/** Version of the drawing, whose change changes every card's URL, so that no social network keeps an old card. */
export const CARD_VERSION = 1

/** Size in pixels of the picture that social networks show beside a link. */
export const SHARE_CARD_WIDTH_PX = 1200
export const SHARE_CARD_HEIGHT_PX = 630

export type ShareCardName =
  | 'inicio'
  | 'nuestra-historia'
  | 'candidatas'
  | 'maestros'
  | 'convocatoria'
  | 'programa'
  | 'misspopularidad'
  | 'registro'
  | 'registro-traje-tipico'
  | `candidata-${string}`
  | `maestro-${string}`
  | `noticia-${string}`
  | `anuncio-${string}`

export interface ShareCard {
  /** URL without origin. */
  url: string
  width: number
  height: number
  alt: string
}

/** Content of a card, which scripts/build-steps/share-cards.ts draws. */
export interface ShareCardDesign {
  nombre: ShareCardName
  foto: Photo
  titulo: string
  linea: string
  /** Tone of the sash with the name on a candidate's card; undefined for other cards. */
  tono?: (typeof TONES)[number]
}

/** Lists the share cards of an edition: one for each main screen, candidate, teacher, news item, and call without invitation. */
export function shareCardsOf(documents: EditionDocuments): ShareCardDesign[] {
  const { nombre, anio, numero, feria } = documents['edicion.yaml']
  const { candidatas, grupo, grupoPrensa } = documents['candidatas.yaml']
  const { maestros, banner } = documents['maestros.yaml']
  const pageant = `${nombre} ${anio}`
  const cover = documents['inicio.yaml'].video.ancho.cartel
  const screenCard = (name: ShareCardName, title: string, line: string, photo: Photo): ShareCardDesign => ({
    nombre: name,
    foto: photo,
    titulo: title,
    linea: line,
  })
  return [
    screenCard('inicio', nombre, `${feria.nombre} · edición ${numero}`, cover),
    screenCard(
      'nuestra-historia',
      'Nuestra historia',
      `${feria.nombre}, ${feria.desde} a ${anio}`,
      documents['historia.yaml'].hero,
    ),
    screenCard('candidatas', 'Conoce a nuestras candidatas', pageant, grupo ?? cover),
    screenCard('maestros', 'Conoce a nuestros maestros', pageant, banner),
    screenCard('convocatoria', 'Convocatorias', pageant, documents['historia.yaml'].reina.foto),
    screenCard(
      'programa',
      'Programa de la feria',
      `${feria.nombre} ${anio}, ${formatDateRange(feria.inicia, feria.termina)}`,
      documents['historia.yaml'].hero,
    ),
    // This card is drawn before the vote closes, so it cannot show the winner.
    screenCard('misspopularidad', 'Señorita Popularidad', pageant, grupoPrensa ?? grupo ?? cover),
    screenCard('registro', 'Registro de Candidatas', pageant, documents['registro.yaml'].imagen),
    screenCard('registro-traje-tipico', 'Registro de Traje Típico', pageant, documents['registro-traje.yaml'].imagen),
    ...candidatas.map((candidate) => ({
      nombre: `candidata-${candidate.id}` as const,
      foto: candidate.prensa.normal ?? candidate.galeria[0]!,
      titulo: candidate.nombre,
      linea: `${candidate.origen} · ${pageant}`,
      tono: candidate.tono,
    })),
    ...maestros.map((teacher) =>
      screenCard(
        `maestro-${slugOf(teacher.nombre)}`,
        teacher.nombre,
        `${teacher.puesto.join(' ')} · ${pageant}`,
        teacher.foto,
      ),
    ),
    ...withSlugs(documents['inicio.yaml'].noticias, 'noticia').map(({ slug, titulo, fecha, imagen }) =>
      screenCard(`noticia-${slug}`, titulo, fecha ? `${formatLongDate(fecha)} · ${pageant}` : pageant, imagen),
    ),
    ...withSlugs(documents['convocatorias.yaml'].anuncios, 'anuncio')
      // A call that changes when its registration closes has no card of its own; the card of all calls is true before and after.
      .filter(({ invitacion }) => !invitacion)
      .map(({ slug, titulo, imagen }) => screenCard(`anuncio-${slug}`, titulo, pageant, imagen)),
  ]
}
