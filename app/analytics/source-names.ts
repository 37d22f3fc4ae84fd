import type { VisitSource } from './schema.ts'

export const SOURCE_NAMES: Readonly<Record<VisitSource, string>> = {
  facebook: 'Facebook',
  instagram: 'Instagram',
  whatsapp: 'WhatsApp',
  'otra-red': 'Otras redes',
  buscador: 'Buscadores',
  'otro-sitio': 'Otros sitios',
  directo: 'Directo: enlaces de WhatsApp, correos y direcciones escritas',
  sitio: 'Desde otra pantalla del sitio',
}

/** Lengths of the periods that the panel offers, in days. */
export const PERIOD_DAYS = [7, 30, 365] as const
