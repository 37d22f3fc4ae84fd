import type { Fuente } from './schema.ts'

export const NOMBRE_DE_FUENTE: Readonly<Record<Fuente, string>> = {
  facebook: 'Facebook',
  instagram: 'Instagram',
  whatsapp: 'WhatsApp',
  'otra-red': 'Otras redes',
  buscador: 'Buscadores',
  'otro-sitio': 'Otros sitios',
  directo: 'Directo: enlaces de WhatsApp, correos y direcciones escritas',
  sitio: 'Desde otra pantalla del sitio',
}

/** Days of which the panel shows the visits. */
export const PERIODOS = [7, 30, 365] as const
