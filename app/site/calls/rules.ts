import type { PeriodStatus } from '#app/cms/settings/schema.ts'

/** An announcement's words, and those that it says instead until its registration has closed. */
interface Announcement<Picture> {
  titulo: string
  texto: string
  imagen: Picture
  invitacion?: { titulo: string; texto: string; imagen: Picture } | undefined
}

/**
 * An announcement as it stands now. It invites while its registration is open or still to open.
 * @param period of its registration; absent while it is not known, or where there is no registration
 * @returns `identidad`: a key that is the same for both wordings
 * @source §2.11; D33
 */
export function slideForToday<Picture, Slide extends Announcement<Picture>>(
  slide: Slide,
  period: PeriodStatus | null | undefined,
): Slide & { identidad: string } {
  const invites = period != null && period.estado !== 'despues'
  return { ...slide, ...(invites ? slide.invitacion : {}), identidad: slide.titulo }
}
