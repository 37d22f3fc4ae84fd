import { describe, expect, it } from 'vitest'
import { type Evento, icsDe } from './ics.server.ts'

const sello = new Date('2025-06-01T12:00:00Z')
const feria: Evento = {
  uid: 'feria-2025@azahares',
  titulo: 'Feria de Azahares 2025',
  inicia: '2025-09-12',
  termina: '2025-09-30',
  lugar: 'Portal Hidalgo 14, Centro; Azahares',
  url: 'https://azahares.example/',
}
/** The file's lines as a calendar reads them, folded ones joined again. */
const renglones = (...eventos: Evento[]) =>
  icsDe('Feria de Azahares', eventos, sello).replaceAll('\r\n ', '').split('\r\n')

describe('icsDe', () => {
  it('is a calendar, its lines ended as the standard says', () => {
    const ics = icsDe('Feria de Azahares', [feria], sello)
    expect(ics.startsWith('BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:')).toBe(true)
    expect(ics.endsWith('END:VEVENT\r\nEND:VCALENDAR\r\n')).toBe(true)
    expect(ics.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  })

  it('ends whole days on the day after the last, also over the end of a month', () => {
    expect(renglones(feria)).toEqual(
      expect.arrayContaining(['DTSTART;VALUE=DATE:20250912', 'DTEND;VALUE=DATE:20251001', 'DTSTAMP:20250601T120000Z']),
    )
  })

  it('takes a day without an end for that day alone', () => {
    const { termina: _, ...unDia } = feria
    expect(renglones(unDia)).toContain('DTEND;VALUE=DATE:20250913')
  })

  it('writes a moment in universal time, wherever it was named', () => {
    const { termina: _, ...gala } = { ...feria, inicia: '2025-09-27T20:00:00-06:00' }
    expect(renglones(gala)).toContain('DTSTART:20250928T020000Z')
    expect(renglones(gala).join()).not.toContain('DTEND')
  })

  it('ends a moment’s event at its own moment', () => {
    const baile = { ...feria, inicia: '2025-09-27T21:00:00-06:00', termina: '2025-09-28T01:00:00-06:00' }
    expect(renglones(baile)).toEqual(expect.arrayContaining(['DTSTART:20250928T030000Z', 'DTEND:20250928T070000Z']))
  })

  it('escapes what would end a value', () => {
    expect(renglones({ ...feria, descripcion: 'Uno; dos\\tres\ncuatro' })).toEqual(
      expect.arrayContaining([
        'LOCATION:Portal Hidalgo 14\\, Centro\\; Azahares',
        'DESCRIPTION:Uno\\; dos\\\\tres\\ncuatro',
      ]),
    )
  })

  it('folds at 75 octets and never inside a character', () => {
    const titulo = `${'ñ'.repeat(100)}🎡${'á'.repeat(40)}`
    const ics = icsDe('Feria', [{ ...feria, titulo }], sello)
    for (const renglon of ics.split('\r\n')) {
      expect(Buffer.byteLength(renglon)).toBeLessThanOrEqual(75)
      expect(renglon).not.toContain('\uFFFD')
    }
    expect(ics.replaceAll('\r\n ', '')).toContain(`SUMMARY:${titulo}\r\n`)
  })
})
