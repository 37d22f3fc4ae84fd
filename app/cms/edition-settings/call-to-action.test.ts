import { expect, test } from 'vitest'
import { callToActionAt } from './call-to-action.server.ts'
import { phaseAt } from './phase.server.ts'

const EDITION = {
  hasCandidates: true,
  hasWinner: true,
  voteClosing: '2025-09-25T23:59:00-06:00',
  registration: { abre: '2025-06-01T00:00:00-06:00', cierra: '2025-08-01T00:00:00-06:00' },
  year: 2025,
}

test('while the vote is open the site asks for votes, and counts the days left by the calendar of Mexico City', () => {
  const at = (iso: string) => callToActionAt(EDITION, new Date(iso))
  expect(at('2025-09-20T23:59:59-06:00')).toEqual({
    que: 'votar',
    resta: 'Quedan 5 días para votar',
    hasta: '2025-09-21T06:00:00.000Z',
  })
  expect(at('2025-09-24T00:00:00-06:00').resta).toBe('Mañana es el último día para votar')
  expect(at('2025-09-25T23:58:59-06:00')).toEqual({
    que: 'votar',
    resta: 'Hoy es el último día para votar, hasta las 23:59',
    hasta: '2025-09-26T05:59:00.000Z',
  })
  expect(at('2025-09-25T23:59:00-06:00')).toEqual({
    que: 'conocer-ganadora',
    resta: 'Señorita Popularidad 2025',
  })
})

test('the call to action follows the edition: registration before there are candidates, then the candidates or the winner', () => {
  const at = (iso: string, changed: Partial<typeof EDITION>) =>
    callToActionAt({ ...EDITION, ...changed }, new Date(iso))
  const none = { hasCandidates: false, hasWinner: false }
  expect(at('2025-05-01T00:00:00Z', none)).toEqual({ que: 'conocer-candidatas', hasta: EDITION.registration.abre })
  expect(at('2025-07-01T00:00:00Z', none)).toEqual({ que: 'inscribirse', hasta: EDITION.registration.cierra })
  expect(at('2025-08-02T00:00:00Z', none)).toEqual({ que: 'conocer-candidatas' })
  expect(at('2025-10-01T00:00:00Z', { hasWinner: false })).toEqual({ que: 'conocer-candidatas' })
})

test("after the vote and the final each candidate's titles are named, a withdrawn queen's no more; closed registrations are told", () => {
  const candidates = ['c1', 'c2', 'c3'].map((id) => ({ id, nombre: `Candidata ${id}` }))
  const edition = {
    candidatas: candidates,
    popularidad: { ganadora: { candidata: 'c3' } },
    anio: 2025,
    feria: { inicia: '2025-09-12', termina: '2025-09-28' },
    fechas: { cierreVotacion: EDITION.voteClosing, coronacion: '2025-09-27T20:00:00-06:00' },
  } as unknown as Parameters<typeof phaseAt>[0]
  const settings = {
    'registro.candidatas': EDITION.registration,
    'registro.trajes': EDITION.registration,
  } as Parameters<typeof phaseAt>[1]
  const court = [
    { id: 'c1', title: 'Señorita Azahares' },
    { id: 'c3', title: 'Primera princesa' },
  ]
  const at = (iso: string, winners: typeof court = [], hasUnsealedVotes = false) =>
    phaseAt(edition, settings, new Date(iso), { court: winners, hasUnsealedVotes }).titulos
  expect(at('2025-09-20T12:00:00-06:00')).toBeUndefined()
  expect(at('2025-09-26T12:00:00-06:00')).toEqual({ c3: 'Señorita Popularidad 2025' })
  // There is no winner while the votes wait for their closing record, even if the content names one already.
  expect(at('2025-09-26T12:00:00-06:00', [], true)).toBeUndefined()
  const titles = { c1: 'Señorita Azahares 2025', c3: 'Primera princesa y Señorita Popularidad 2025' }
  expect(at('2025-09-28T12:00:00-06:00', court)).toEqual(titles)
  expect(phaseAt(edition, settings, new Date('2025-07-31T12:00:00-06:00')).sinRegistros).toBeUndefined()
  expect(phaseAt(edition, settings, new Date('2025-09-20T12:00:00-06:00')).sinRegistros).toBe(true)
  edition.candidatas.shift()
  expect(at('2025-09-28T12:00:00-06:00', court)).toEqual({ c3: titles.c3 })
})

test('before its opening the site asks for no vote, and asks again at that moment', () => {
  const voteOpening = '2025-09-15T10:00:00-06:00'
  const at = (iso: string) => callToActionAt({ ...EDITION, voteOpening }, new Date(iso))
  expect(at('2025-09-15T09:59:59-06:00')).toEqual({ que: 'conocer-candidatas', hasta: voteOpening })
  expect(at(voteOpening)).toMatchObject({ que: 'votar', resta: 'Quedan 10 días para votar' })
})

test('the final is said by its day, on its day by its hour, and is over with it; the fair is over with its last night', () => {
  const edition = {
    candidatas: [],
    popularidad: {},
    anio: 2025,
    feria: { inicia: '2025-09-12', termina: '2025-09-28' },
    fechas: { cierreVotacion: EDITION.voteClosing, coronacion: '2025-09-27T20:00:00-06:00' },
  } as unknown as Parameters<typeof phaseAt>[0]
  const settings = {
    'registro.candidatas': EDITION.registration,
    'registro.trajes': EDITION.registration,
  } as Parameters<typeof phaseAt>[1]
  const at = (local: string) => {
    const { final, feria } = phaseAt(edition, settings, new Date(`${local}-06:00`))
    return [final, feria]
  }
  const past = 'La final fue el sábado 27 de septiembre'
  expect(at('2025-09-12T03:59')).toEqual(['Final: sábado 27 de septiembre, 20:00', 'antes'])
  expect(at('2025-09-27T00:00')).toEqual(['La final es hoy, 20:00', 'durante'])
  expect(at('2025-09-27T20:00')).toEqual(['Ahora: la final', 'durante'])
  expect(at('2025-09-27T23:59')).toEqual(['Ahora: la final', 'durante'])
  expect(at('2025-09-28T00:00')).toEqual([past, 'durante'])
  expect(at('2025-09-29T03:59')).toEqual([past, 'durante'])
  expect(at('2025-09-29T04:00')).toEqual([past, 'despues'])
})
