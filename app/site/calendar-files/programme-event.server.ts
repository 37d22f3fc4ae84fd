import type { Edition } from '#app/cms/editions/displayed-edition.server.ts'
import { slugOf } from '#app/cms/schema/edition-documents.ts'
import type { ProgrammeEvent } from '#app/cms/schema/programme.ts'
import type { CalendarEvent } from './ics.server.ts'

export function toCalendarEvent(
  { id, que, lugar, quien, nota, inicia, acaba }: ProgrammeEvent,
  edition: Pick<Edition, 'nombre' | 'lugar'>,
  origin: string,
): CalendarEvent {
  const { ciudad, estado } = edition.lugar
  const description = [quien, nota].filter((line) => line !== undefined).join('\n')
  return {
    uid: `${id}@${slugOf(edition.nombre)}`,
    title: que,
    ...(description && { description }),
    start: inicia,
    ...(acaba !== undefined && { end: acaba }),
    location: `${lugar}, ${ciudad}, ${estado}`,
    url: `${origin}/programa#${id}`,
  }
}
