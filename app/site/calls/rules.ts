import type { PeriodStatus } from '#app/cms/edition-settings/schema.ts'

/** An announcement's text, and the invitation that replaces it until the registration has closed. */
interface Announcement<Picture> {
  titulo: string
  texto: string
  imagen: Picture
  invitacion?: { titulo: string; texto: string; imagen: Picture } | undefined
}

/**
 * An announcement as of today. It shows its invitation while the registration is open or still to open.
 * @param period of the registration; absent while unknown, or without a registration
 * @returns the announcement, with a key that is the same for both texts
 * @source §2.11; D33
 */
export function slideForToday<Picture, Slide extends Announcement<Picture>>(
  slide: Slide,
  period: PeriodStatus | null | undefined,
): Slide & { slideKey: string } {
  const invites = period != null && period.estado !== 'despues'
  return { ...slide, ...(invites ? slide.invitacion : {}), slideKey: slide.titulo }
}
