import { describe, expect, it } from 'vitest'
import { eventStateOf, fairDayOf, listCurrentEvents, listProgrammeDays, withEventIds } from './programme.ts'

const FIXED_DATES = {
  coronacion: '2025-09-27T20:00:00-06:00',
  cierreVotacion: '2025-09-25T23:59:00-06:00',
}
const event = (hour: string, title: string, ends?: string) => ({
  hora: hour,
  que: title,
  termina: ends,
  lugar: 'Jardín',
})

const days = (programme: Parameters<typeof listProgrammeDays>[0]['programa']) =>
  listProgrammeDays({ programa: programme, fechas: FIXED_DATES })

describe('the programme', () => {
  it('sorts days and hours, including the events that edicion.yaml dates', () => {
    const all = days({
      coronacion: { que: 'Final', lugar: 'Explanada' },
      dias: [
        { fecha: '2025-09-27', eventos: [event('23:30', 'Baile'), event('09:00', 'Misa')] },
        { fecha: '2025-09-12', titulo: 'Apertura', eventos: [event('18:00', 'Desfile')] },
      ],
    })
    expect(
      all.map(({ fecha, eventos }) => [fecha, ...eventos.map(({ hora, que: title }) => `${hora} ${title}`)]),
    ).toEqual([
      ['2025-09-12', '18:00 Desfile'],
      ['2025-09-27', '09:00 Misa', '20:00 Final', '23:30 Baile'],
    ])
    expect(all[1]!.eventos.map(({ isFinal }) => isFinal)).toEqual([false, true, false])
  })

  it('gives the closing of the vote a day of its own where nothing else is on that day', () => {
    const all = days({ cierreVotacion: { que: 'Cierra la votación', lugar: 'Aquí' }, dias: [] })
    expect(all).toMatchObject([{ fecha: '2025-09-25', eventos: [{ hora: '23:59' }] }])
  })

  it('gives the opening of the vote its date, and leaves it out where the vote has no opening', () => {
    const programa = { aperturaVotacion: { que: 'Abre la votación', lugar: 'Aquí' }, dias: [] }
    const fechas = { ...FIXED_DATES, aperturaVotacion: '2025-09-15T10:00:00-06:00' }
    expect(listProgrammeDays({ programa, fechas })).toMatchObject([
      {
        fecha: '2025-09-15',
        eventos: [{ hora: '10:00', id: '2025-09-15-abre-la-votacion', startsAt: fechas.aperturaVotacion }],
      },
    ])
    expect(days(programa)).toEqual([])
    const published = { 'edicion.yaml': { fechas: FIXED_DATES }, 'programa.yaml': programa }
    expect(withEventIds(published)).toEqual(published)
  })

  it('ends an event past midnight on the next day', () => {
    const [day] = days({ dias: [{ fecha: '2025-09-30', eventos: [event('21:00', 'Baile', '01:00')] }] })
    expect(day!.eventos[0]).toMatchObject({
      startsAt: '2025-09-30T21:00:00-06:00',
      endsAt: '2025-10-01T01:00:00-06:00',
    })
  })

  it('takes an event with equal start and end for a whole day long', () => {
    const [day] = days({ dias: [{ fecha: '2025-09-30', eventos: [event('21:00', 'Velada', '21:00')] }] })
    expect(day!.eventos[0]).toMatchObject({
      startsAt: '2025-09-30T21:00:00-06:00',
      endsAt: '2025-10-01T21:00:00-06:00',
    })
  })

  it('keeps the id of an event whose title, hour or day was edited after its publication', () => {
    const dates = FIXED_DATES
    const published = {
      'edicion.yaml': { fechas: dates },
      'programa.yaml': {
        coronacion: { que: 'Final', lugar: 'Explanada' },
        dias: [{ fecha: '2025-09-12', eventos: [event('20:00', 'Sones'), event('22:00', 'Sones')] }],
      },
    }
    const programme = withEventIds(published)['programa.yaml'] as Parameters<typeof listProgrammeDays>[0]['programa']
    const idsOf = (one: typeof programme) =>
      listProgrammeDays({ programa: one, fechas: dates }).flatMap(({ eventos }) => eventos.map(({ id }) => id))
    const ids = ['2025-09-12-sones', '2025-09-12-sones-2', '2025-09-27-final']
    expect(idsOf(published['programa.yaml'])).toEqual(ids)
    expect(withEventIds(withEventIds(published))).toEqual(withEventIds(published))
    const mended = {
      coronacion: { ...programme.coronacion!, que: 'Final y coronación' },
      dias: [
        {
          fecha: '2025-09-12',
          eventos: [{ ...programme.dias[0]!.eventos[0]!, que: 'Música' }, event('23:00', 'Sones')],
        },
        { fecha: '2025-09-13', eventos: [{ ...programme.dias[0]!.eventos[1]!, hora: '21:00' }] },
      ],
    }
    expect(idsOf(mended)).toEqual(['2025-09-12-sones', '2025-09-12-sones-3', '2025-09-12-sones-2', '2025-09-27-final'])
    // Copied to the next year, the events get new ids.
    const next = { dias: [{ fecha: '2026-09-12', eventos: programme.dias[0]!.eventos }] }
    expect(idsOf(next)).toEqual(['2026-09-12-sones', '2026-09-12-sones-2'])
  })

  it('gives each event an id that no other event has', () => {
    const [day] = days({
      dias: [{ fecha: '2025-09-12', eventos: [event('20:00', 'Sones, y más'), event('22:00', 'Sones, y más')] }],
    })
    expect(day!.eventos.map(({ id }) => id)).toEqual(['2025-09-12-sones-y-mas', '2025-09-12-sones-y-mas-2'])
  })
})

it('tells whether an event is ahead, on or over', () => {
  const at = (hour: string) =>
    eventStateOf(
      { startsAt: '2025-09-12T20:00:00-06:00', endsAt: '2025-09-12T22:00:00-06:00' },
      new Date(`2025-09-12T${hour}:00-06:00`),
    )
  expect([at('19:59'), at('20:00'), at('21:59'), at('22:00')]).toEqual(['upcoming', 'on', 'on', 'over'])
  expect(eventStateOf({ startsAt: '2025-09-12T20:00:00-06:00' }, new Date('2025-09-12T21:29:00-06:00'))).toBe('on')
})

it('lists what is on and what comes next, also in the small hours of the fair’s day', () => {
  const [day] = days({
    dias: [{ fecha: '2025-09-13', eventos: [event('17:00', 'Charreada'), event('21:00', 'Baile', '03:00')] }],
  })
  const at = (moment: string) => {
    const now = new Date(`${moment}-06:00`)
    return [fairDayOf(now), ...listCurrentEvents(day!, now).map(({ label: mark, event }) => `${mark}: ${event.que}`)]
  }
  expect(at('2025-09-13T12:00')).toEqual(['2025-09-13', 'Sigue: Charreada'])
  expect(at('2025-09-13T17:30')).toEqual(['2025-09-13', 'Ahora: Charreada', 'Sigue: Baile'])
  expect(at('2025-09-14T02:59')).toEqual(['2025-09-13', 'Ahora: Baile'])
  expect(at('2025-09-14T04:00')).toEqual(['2025-09-14'])
})
