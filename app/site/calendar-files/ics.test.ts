import { describe, expect, it } from 'vitest'
import { buildIcs, type CalendarEvent } from './ics.server.ts'

const seal = new Date('2025-06-01T12:00:00Z')
const fair: CalendarEvent = {
  uid: 'feria-2025@azahares',
  title: 'Feria de Azahares 2025',
  start: '2025-09-12',
  end: '2025-09-30',
  location: 'Portal Hidalgo 14, Centro; Azahares',
  url: 'https://azahares.example/',
}
/** The lines of the file, folded ones joined. */
const rows = (...events: CalendarEvent[]) =>
  buildIcs('Feria de Azahares', events, seal).replaceAll('\r\n ', '').split('\r\n')

describe('icsOf', () => {
  it('is a calendar, its lines ended as the standard says', () => {
    const ics = buildIcs('Feria de Azahares', [fair], seal)
    expect(ics.startsWith('BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:')).toBe(true)
    expect(ics.endsWith('END:VEVENT\r\nEND:VCALENDAR\r\n')).toBe(true)
    expect(ics.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  })

  it('ends whole days on the day after the last, also over the end of a month', () => {
    expect(rows(fair)).toEqual(
      expect.arrayContaining(['DTSTART;VALUE=DATE:20250912', 'DTEND;VALUE=DATE:20251001', 'DTSTAMP:20250601T120000Z']),
    )
  })

  it('takes a day without an end for that day alone', () => {
    const { end: _, ...oneDay } = fair
    expect(rows(oneDay)).toContain('DTEND;VALUE=DATE:20250913')
  })

  it('writes a moment of any time zone in UTC', () => {
    const { end: _, ...gala } = { ...fair, start: '2025-09-27T20:00:00-06:00' }
    expect(rows(gala)).toContain('DTSTART:20250928T020000Z')
    expect(rows(gala).join()).not.toContain('DTEND')
  })

  it('ends a timed event at its end', () => {
    const dance = { ...fair, start: '2025-09-27T21:00:00-06:00', end: '2025-09-28T01:00:00-06:00' }
    expect(rows(dance)).toEqual(expect.arrayContaining(['DTSTART:20250928T030000Z', 'DTEND:20250928T070000Z']))
  })

  it('escapes characters that would end a value', () => {
    expect(rows({ ...fair, description: 'Uno; dos\\tres\ncuatro' })).toEqual(
      expect.arrayContaining([
        'LOCATION:Portal Hidalgo 14\\, Centro\\; Azahares',
        'DESCRIPTION:Uno\\; dos\\\\tres\\ncuatro',
      ]),
    )
  })

  it('folds at 75 octets and never inside a character', () => {
    const title = `${'ñ'.repeat(100)}🎡${'á'.repeat(40)}`
    const ics = buildIcs('Feria', [{ ...fair, title }], seal)
    for (const line of ics.split('\r\n')) {
      expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75)
      expect(line).not.toContain('\uFFFD')
    }
    expect(ics.replaceAll('\r\n ', '')).toContain(`SUMMARY:${title}\r\n`)
  })
})
