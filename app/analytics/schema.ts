/** What is counted: a screen that was opened, a sponsor's mark that was tapped, a candidate's card that was shared. */
export const QUE = ['pantalla', 'patrocinador', 'compartido'] as const
export type Que = (typeof QUE)[number]

/** Where a visitor came from; `sitio`: from another screen of this very site. */
export type Source =
  | 'facebook'
  | 'instagram'
  | 'whatsapp'
  | 'otra-red'
  | 'buscador'
  | 'otro-sitio'
  | 'directo'
  | 'sitio'

/** Where the browser tells of what the server cannot see. */
export const BEACON_PATH = '/visto'

/** Address by which the browser tells of a tap or of something shared. */
export const avisoDe = (que: Exclude<Que, 'pantalla'>, which: string): string =>
  `${BEACON_PATH}?que=${que}&cual=${encodeURIComponent(which)}`
