import type { Photo, TONES } from '#app/cms/schema/edition-documents.ts'
import { withSlugs } from '#app/cms/schema/item-slugs.ts'
import type { EditionDocuments } from '#app/cms/schema/read-content.server.ts'
import { slugOf } from '#app/cms/schema/slug.ts'
import { formatDateRange, formatLongDate } from '#app/core/time/mexico-dates.ts'

/** The version of the drawing is part of a card's address, so that no social network keeps an old card. */
export const CARD_RECIPE = 1

/** Social networks show a picture of this size in pixels beside a link. */
export const SHARE_CARD_WIDTH = 1200
export const SHARE_CARD_HEIGHT = 630

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
  /** `url` has no origin. */
  url: string
  width: number
  height: number
  alt: string
}

/** scripts/build-steps/share-cards.ts draws a card with this content. */
export interface ShareCardDesign {
  nombre: ShareCardName
  foto: Photo
  titulo: string
  linea: string
  /** Only a candidate's card has a colour; it shows her name on a sash. */
  tono?: (typeof TONES)[number]
}

/** Lists all share cards of an edition: one for each screen, candidate, teacher, news item and call. */
export function shareCardsOf(files: EditionDocuments): ShareCardDesign[] {
  const { nombre, anio, numero, feria } = files['edicion.yaml']
  const { candidatas, grupo, grupoPrensa } = files['candidatas.yaml']
  const { maestros, banner } = files['maestros.yaml']
  const pageant = `${nombre} ${anio}`
  const cover = files['inicio.yaml'].video.ancho.cartel
  const screen = (name: ShareCardName, title: string, line: string, photo: Photo): ShareCardDesign => ({
    nombre: name,
    foto: photo,
    titulo: title,
    linea: line,
  })
  return [
    screen('inicio', nombre, `${feria.nombre} · edición ${numero}`, cover),
    screen(
      'nuestra-historia',
      'Nuestra historia',
      `${feria.nombre}, ${feria.desde} a ${anio}`,
      files['historia.yaml'].hero,
    ),
    screen('candidatas', 'Conoce a nuestras candidatas', pageant, grupo ?? cover),
    screen('maestros', 'Conoce a nuestros maestros', pageant, banner),
    screen('convocatoria', 'Convocatorias', pageant, files['historia.yaml'].reina.foto),
    screen(
      'programa',
      'Programa de la feria',
      `${feria.nombre} ${anio}, ${formatDateRange(feria.inicia, feria.termina)}`,
      files['historia.yaml'].hero,
    ),
    // The card is drawn before the vote closes, so it cannot show the winner.
    screen('misspopularidad', 'Señorita Popularidad', pageant, grupoPrensa ?? grupo ?? cover),
    screen('registro', 'Registro de Candidatas', pageant, files['registro.yaml'].imagen),
    screen('registro-traje-tipico', 'Registro de Traje Típico', pageant, files['registro-traje.yaml'].imagen),
    ...candidatas.map((candidate) => ({
      nombre: `candidata-${candidate.id}` as const,
      foto: candidate.prensa.normal ?? candidate.galeria[0]!,
      titulo: candidate.nombre,
      linea: `${candidate.origen} · ${pageant}`,
      tono: candidate.tono,
    })),
    ...maestros.map((one) =>
      screen(`maestro-${slugOf(one.nombre)}`, one.nombre, `${one.puesto.join(' ')} · ${pageant}`, one.foto),
    ),
    ...withSlugs(files['inicio.yaml'].noticias, 'noticia').map(({ slug, titulo, fecha, imagen }) =>
      screen(`noticia-${slug}`, titulo, fecha ? `${formatLongDate(fecha)} · ${pageant}` : pageant, imagen),
    ),
    ...withSlugs(files['convocatorias.yaml'].anuncios, 'anuncio')
      // A call that changes when its registration closes has the card of all calls, which is true before and after.
      .filter(({ invitacion }) => !invitacion)
      .map(({ slug, titulo, imagen }) => screen(`anuncio-${slug}`, titulo, pageant, imagen)),
  ]
}
