/** Counted events: an opened screen, a tapped mark of a sponsor, a shared card of a candidate. */
export const VISIT_EVENTS = ['pantalla', 'patrocinador', 'compartido'] as const
export type VisitEvent = (typeof VISIT_EVENTS)[number]

/** Where a visitor came from; `sitio`: from another screen of this site. */
export type Source =
  | 'facebook'
  | 'instagram'
  | 'whatsapp'
  | 'otra-red'
  | 'buscador'
  | 'otro-sitio'
  | 'directo'
  | 'sitio'

/** Address to which browsers report events that the server does not see. */
export const BEACON_PATH = '/visto'

/** Address that reports a tap or a share. */
export const beaconUrlOf = (event: Exclude<VisitEvent, 'pantalla'>, which: string): string =>
  `${BEACON_PATH}?que=${event}&cual=${encodeURIComponent(which)}`
