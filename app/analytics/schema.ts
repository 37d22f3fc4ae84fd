/** Counted events: an opened screen, a tap on a sponsor's logo, a shared link to a candidate. */
export const VISIT_EVENTS = ['pantalla', 'patrocinador', 'compartido'] as const
export type VisitEvent = (typeof VISIT_EVENTS)[number]

/** Source of a visit. `sitio` is another screen of this site. */
export type VisitSource =
  | 'facebook'
  | 'instagram'
  | 'whatsapp'
  | 'otra-red'
  | 'buscador'
  | 'otro-sitio'
  | 'directo'
  | 'sitio'

/** Path to which browsers report events that the server does not see. */
export const BEACON_PATH = '/visto'

/** Returns the URL that reports a tap or a share. */
export const beaconUrlOf = (event: Exclude<VisitEvent, 'pantalla'>, target: string): string =>
  `${BEACON_PATH}?que=${event}&cual=${encodeURIComponent(target)}`
