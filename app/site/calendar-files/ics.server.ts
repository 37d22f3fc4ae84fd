/** An event of a calendar file. @source RFC 5545 §3.6.1 */
export interface CalendarEvent {
  uid: string
  title: string
  description?: string
  /** A moment with its time zone, or a day «2025-09-12». */
  start: string
  /** A moment, or the last day of a whole-day event, by default its first. */
  end?: string
  location: string
  url: string
}

/** Maximum number of octets in a line, without its line break. @source RFC 5545 §3.1 */
const MAX_LINE_OCTETS = 75

/** Returns the text of a calendar file (RFC 5545). @param madeAt moment at which the file is made (DTSTAMP of each event) */
export function buildIcs(calendarName: string, events: CalendarEvent[], madeAt: Date): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    `PRODID:-//${escapeText(calendarName)}//ES`,
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    `X-WR-CALNAME:${escapeText(calendarName)}`,
    ...events.flatMap((event) => [
      'BEGIN:VEVENT',
      `UID:${event.uid}`,
      `DTSTAMP:${toUtcStamp(madeAt)}`,
      ...dateLinesOf(event),
      `SUMMARY:${escapeText(event.title)}`,
      ...(event.description ? [`DESCRIPTION:${escapeText(event.description)}`] : []),
      `LOCATION:${escapeText(event.location)}`,
      `URL:${event.url}`,
      'END:VEVENT',
    ]),
    'END:VCALENDAR',
  ]
  return lines.map((line) => `${foldLine(line)}\r\n`).join('')
}

function dateLinesOf({ start, end }: CalendarEvent): string[] {
  if (start.includes('T'))
    return [`DTSTART:${toUtcStamp(new Date(start))}`, ...(end ? [`DTEND:${toUtcStamp(new Date(end))}`] : [])]
  // DTEND of a whole-day event is the day after the last (RFC 5545 §3.6.1).
  return [`DTSTART;VALUE=DATE:${toDateStamp(start, 0)}`, `DTEND;VALUE=DATE:${toDateStamp(end ?? start, 1)}`]
}

const toUtcStamp = (moment: Date) => `${moment.toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`

function toDateStamp(day: string, daysAfter: number): string {
  const date = new Date(`${day}T00:00Z`)
  date.setUTCDate(date.getUTCDate() + daysAfter)
  return date.toISOString().slice(0, 10).replaceAll('-', '')
}

const escapeText = (value: string) =>
  value
    .trim()
    .replace(/[\\;,]/g, '\\$&')
    .replace(/\r\n?|\n/g, '\\n')

/** Folds a long line: it continues in the next line after a space (RFC 5545 §3.1). No character is cut in two. */
function foldLine(line: string): string {
  const lines = ['']
  let octets = 0
  for (const character of line) {
    const characterOctets = Buffer.byteLength(character)
    if (octets + characterOctets > MAX_LINE_OCTETS) {
      lines.push('')
      // The space at the beginning of the continued line counts as an octet.
      octets = 1
    }
    lines[lines.length - 1] += character
    octets += characterOctets
  }
  return lines.join('\r\n ')
}

export const icsResponse = (ics: string, baseName: string): Response =>
  new Response(ics, {
    headers: {
      'content-type': 'text/calendar; charset=utf-8',
      'content-disposition': `attachment; filename="${baseName}.ics"`,
    },
  })
