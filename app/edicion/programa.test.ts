import { describe, expect, it } from 'vitest'
import { diasDe } from './programa.ts'

const FIJOS = {
  coronacion: '2025-09-27T20:00:00-06:00',
  cierreVotacion: '2025-09-25T23:59:00-06:00',
}
const evento = (hora: string, que: string, termina?: string) => ({ hora, que, termina, lugar: 'Jardín' })

const dias = (programa: Parameters<typeof diasDe>[0]['programa']) => diasDe({ programa, fechas: FIJOS })

describe('the programme', () => {
  it('puts days and hours in order, and what edicion.yaml dates among them', () => {
    const all = dias({
      coronacion: { que: 'Final', lugar: 'Explanada' },
      dias: [
        { fecha: '2025-09-27', eventos: [evento('23:30', 'Baile'), evento('09:00', 'Misa')] },
        { fecha: '2025-09-12', titulo: 'Apertura', eventos: [evento('18:00', 'Desfile')] },
      ],
    })
    expect(all.map(({ fecha, eventos }) => [fecha, ...eventos.map(({ hora, que }) => `${hora} ${que}`)])).toEqual([
      ['2025-09-12', '18:00 Desfile'],
      ['2025-09-27', '09:00 Misa', '20:00 Final', '23:30 Baile'],
    ])
    expect(all[1]!.eventos.map(({ esFinal }) => esFinal)).toEqual([false, true, false])
  })

  it('gives the closing of the vote a day of its own where nothing else is on that day', () => {
    const all = dias({ cierreVotacion: { que: 'Cierra la votación', lugar: 'Aquí' }, dias: [] })
    expect(all).toMatchObject([{ fecha: '2025-09-25', eventos: [{ hora: '23:59' }] }])
  })

  it('ends what goes past midnight on the day after', () => {
    const [dia] = dias({ dias: [{ fecha: '2025-09-30', eventos: [evento('21:00', 'Baile', '01:00')] }] })
    expect(dia!.eventos[0]).toMatchObject({ inicia: '2025-09-30T21:00:00-06:00', acaba: '2025-10-01T01:00:00-06:00' })
  })

  it('gives each event an address of its own', () => {
    const [dia] = dias({
      dias: [{ fecha: '2025-09-12', eventos: [evento('20:00', 'Sones, y más'), evento('22:00', 'Sones, y más')] }],
    })
    expect(dia!.eventos.map(({ id }) => id)).toEqual(['2025-09-12-sones-y-mas', '2025-09-12-sones-y-mas-2'])
  })
})
