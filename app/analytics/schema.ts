/** Counted events are an opened screen, a tapped mark of a sponsor, and a shared card of a candidate. */
export const VISIT_EVENTS = ['pantalla', 'patrocinador', 'compartido'] as const
export type VisitEvent = (typeof VISIT_EVENTS)[number]

/** A source is where a visitor came from; `sitio` is another screen of this site. */
export type Source =
  | 'facebook'
  | 'instagram'
  | 'whatsapp'
  | 'otra-red'
  | 'buscador'
  | 'otro-sitio'
  | 'directo'
  | 'sitio'

/** Browsers report to this address the events that the server does not see. */
export const BEACON_PATH = '/visto'

/** Returns the address that reports a tap or a share. */
export const beaconUrlOf = (event: Exclude<VisitEvent, 'pantalla'>, target: string): string =>
  `${BEACON_PATH}?que=${event}&cual=${encodeURIComponent(target)}`
