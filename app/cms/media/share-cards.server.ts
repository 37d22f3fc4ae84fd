import { type Foto, slugOf, type TONOS } from '#app/cms/schema/edition-documents.ts'
import type { Archivos } from '#app/cms/schema/read-content.server.ts'
import { delDiaAlDia } from '#app/core/time/mexico-dates.ts'

/** Changing how cards are drawn changes their names, so that no network keeps an old one. */
export const CARD_RECIPE = 1

/** Pixels of a card, which networks show beside a shared link. */
export const TARJETA_ANCHO = 1200
export const TARJETA_ALTO = 630

export type NombreTarjeta =
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

/** A card for sharing, ready for the document's head. */
export interface Tarjeta {
  /** Address without origin. */
  url: string
  ancho: number
  alto: number
  alt: string
}

/** The content of a card, which scripts/tarjetas.ts draws. */
export interface DisenoTarjeta {
  nombre: NombreTarjeta
  foto: Foto
  titulo: string
  linea: string
  /** Tone of a candidate, whose name then stands on the sash. */
  tono?: (typeof TONOS)[number]
}

/** Every card of an edition: one a screen, one a candidate, one a teacher. */
export function tarjetasDe(archivos: Archivos): DisenoTarjeta[] {
  const { nombre, anio, numero, feria } = archivos['edicion.yaml']
  const { candidatas, grupo, grupoPrensa } = archivos['candidatas.yaml']
  const { maestros, banner } = archivos['maestros.yaml']
  const certamen = `${nombre} ${anio}`
  const portada = archivos['inicio.yaml'].video.ancho.cartel
  const screen = (nombre: NombreTarjeta, titulo: string, linea: string, foto: Foto): DisenoTarjeta => ({
    nombre,
    foto,
    titulo,
    linea,
  })
  return [
    screen('inicio', nombre, `${feria.nombre} · edición ${numero}`, portada),
    screen(
      'nuestra-historia',
      'Nuestra historia',
      `${feria.nombre}, ${feria.desde} a ${anio}`,
      archivos['historia.yaml'].hero,
    ),
    screen('candidatas', 'Conoce a nuestras candidatas', certamen, grupo ?? portada),
    screen('maestros', 'Conoce a nuestros maestros', certamen, banner),
    screen('convocatoria', 'Convocatorias', certamen, archivos['historia.yaml'].reina.foto),
    screen(
      'programa',
      'Programa de la feria',
      `${feria.nombre} ${anio}, ${delDiaAlDia(feria.inicia, feria.termina)}`,
      archivos['historia.yaml'].hero,
    ),
    // The card is drawn before the vote closes, so it cannot show the winner.
    screen('misspopularidad', 'Señorita Popularidad', certamen, grupoPrensa ?? grupo ?? portada),
    screen('registro', 'Registro de Candidatas', certamen, archivos['registro.yaml'].imagen),
    screen('registro-traje-tipico', 'Registro de Traje Típico', certamen, archivos['registro-traje.yaml'].imagen),
    ...candidatas.map((una) => ({
      nombre: `candidata-${una.id}` as const,
      foto: una.prensa.normal ?? una.galeria[0]!,
      titulo: una.nombre,
      linea: `${una.origen} · ${certamen}`,
      tono: una.tono,
    })),
    ...maestros.map((uno) =>
      screen(`maestro-${slugOf(uno.nombre)}`, uno.nombre, `${uno.puesto.join(' ')} · ${certamen}`, uno.foto),
    ),
  ]
}
