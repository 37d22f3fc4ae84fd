import type { PeriodStatus } from '#app/cms/edition-settings/schema.ts'

/** Texts of a slide. The invitation, if there is one, replaces title, text and picture as long as `slideForToday` says. */
interface SlideTexts<Picture, Text> {
  titulo: string
  texto: Text
  imagen: Picture
  invitacion?: { titulo: string; texto: Text; imagen: Picture } | undefined
}

/**
 * Returns a slide as of today: with its invitation once the period is known, until the registration has closed.
 * @param period of the registration; undefined or null while it is unknown, or without a registration
 * @returns the slide, with a key that is the same for both texts
 * @source §2.11
 */
export function slideForToday<Picture, Text, Slide extends SlideTexts<Picture, Text>>(
  slide: Slide,
  period: PeriodStatus | null | undefined,
): Slide & { slideKey: string } {
  const showsInvitation = period != null && period.estado !== 'despues'
  return { ...slide, ...(showsInvitation ? slide.invitacion : {}), slideKey: slide.titulo }
}
