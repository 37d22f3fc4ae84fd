/** What is counted: a screen that was opened, a sponsor's mark that was tapped, a candidate's card that was shared. */
export const QUE = ['pantalla', 'patrocinador', 'compartido'] as const
export type Que = (typeof QUE)[number]

/** Where a visitor came from; `sitio`: from another screen of this very site. */
export type Fuente =
  | 'facebook'
  | 'instagram'
  | 'whatsapp'
  | 'otra-red'
  | 'buscador'
  | 'otro-sitio'
  | 'directo'
  | 'sitio'

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

/** Where the browser tells of what the server cannot see. */
export const VISTO = '/visto'

/** Days of which the panel shows the visits. */
export const PERIODOS = [7, 30, 365] as const

/** Address by which the browser tells of a tap or of something shared. */
export const avisoDe = (que: Exclude<Que, 'pantalla'>, cual: string): string =>
  `${VISTO}?que=${que}&cual=${encodeURIComponent(cual)}`
