import type { Edition } from '#app/cms/editions/displayed-edition.server.ts'
import type { ProgrammeEvent } from '#app/cms/programme.ts'
import { slugOf } from '#app/cms/schema/slug.ts'
import type { CalendarEvent } from './ics.server.ts'

export function toCalendarEvent(
  { id, que, lugar, quien, nota, startsAt, endsAt }: ProgrammeEvent,
  edition: Pick<Edition, 'nombre' | 'lugar'>,
  origin: string,
): CalendarEvent {
  const { ciudad, estado } = edition.lugar
  const description = [quien, nota].filter((line) => line !== undefined).join('\n')
  return {
    uid: `${id}@${slugOf(edition.nombre)}`,
    title: que,
    ...(description && { description }),
    start: startsAt,
    ...(endsAt !== undefined && { end: endsAt }),
    location: `${lugar}, ${ciudad}, ${estado}`,
    url: `${origin}/programa#${id}`,
  }
}
