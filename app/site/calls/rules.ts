import type { PeriodStatus } from '#app/cms/edition-settings/schema.ts'

/** A slide has a text, and an invitation that replaces the text until the registration has closed. */
interface SlideTexts<Picture, Text> {
  titulo: string
  texto: Text
  imagen: Picture
  invitacion?: { titulo: string; texto: Text; imagen: Picture } | undefined
}

/**
 * Returns a slide as of today. It shows its invitation while the registration is open or still to open.
 * @param period of the registration; absent while unknown, or without a registration
 * @returns the slide, with a key that is the same for both texts
 * @source §2.11; D33
 */
export function slideForToday<Picture, Text, Slide extends SlideTexts<Picture, Text>>(
  slide: Slide,
  period: PeriodStatus | null | undefined,
): Slide & { slideKey: string } {
  const invites = period != null && period.estado !== 'despues'
  return { ...slide, ...(invites ? slide.invitacion : {}), slideKey: slide.titulo }
}
