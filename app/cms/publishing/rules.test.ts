import { describe, expect, test } from 'vitest'
import {
  adviceOnMovedOpening,
  adviceOnMovedPlaces,
  hasSameReserved,
  opensVoteAtOnce,
  withVoteDatesOf,
} from './rules.ts'

const edition = (ids: string[], withdrawn: { id: string; lugar: number }[] = []) => ({
  'candidatas.yaml': { candidatas: ids.map((id) => ({ id, nombre: id.toUpperCase() })), retiradas: withdrawn },
})

describe('places of the vote’s order', () => {
  test('a candidate who is appended moves no other', () => {
    expect(adviceOnMovedPlaces(edition(['a', 'b']), edition(['a', 'b', 'c']))).toBeUndefined()
  })

  test('a candidate who is inserted, or changes places, moves others, and the advice names their old places', () => {
    expect(adviceOnMovedPlaces(edition(['a', 'b']), edition(['c', 'a', 'b']))).toContain(
      '«A» al lugar 1, «B» al lugar 2',
    )
    expect(adviceOnMovedPlaces(edition(['a', 'b', 'c']), edition(['a', 'c', 'b']))).toContain('«B» al lugar 2')
  })

  test('a withdrawal leaves every other place as it was; taking a candidate off the list does not', () => {
    expect(adviceOnMovedPlaces(edition(['a', 'b', 'c']), edition(['b', 'c'], [{ id: 'a', lugar: 0 }]))).toBeUndefined()
    expect(adviceOnMovedPlaces(edition(['a', 'b', 'c']), edition(['b', 'c']))).toContain('«A» al lugar 1')
  })

  test('a withdrawal with a wrong place moves the candidates behind it', () => {
    expect(adviceOnMovedPlaces(edition(['a', 'b', 'c']), edition(['a', 'b'], [{ id: 'c', lugar: 0 }]))).toContain('«A»')
    const withdrawn = edition(['b', 'c'], [{ id: 'a', lugar: 0 }])
    expect(adviceOnMovedPlaces(withdrawn, edition(['b', 'c']))).toContain('«a» al lugar 1')
  })
})

describe('the opening of the vote', () => {
  const opened = (opening?: string) => ({
    'edicion.yaml': {
      anio: 2025,
      fechas: { ...(opening && { aperturaVotacion: opening }), cierreVotacion: '2025-09-25T23:59:00-06:00', otra: 1 },
    },
  })

  test('stays where it is the same moment in another zone, and moves where it is set, changed or taken away', () => {
    const before = opened('2025-09-15T10:00:00-06:00')
    expect(adviceOnMovedOpening(before, opened('2025-09-15T16:00:00+00:00'))).toBeUndefined()
    expect(adviceOnMovedOpening(opened(), opened())).toBeUndefined()
    for (const after of [opened('2025-09-15T10:00:01-06:00'), opened()])
      expect(adviceOnMovedOpening(before, after)).toContain('al lunes 15 de septiembre, 10:00')
    expect(adviceOnMovedOpening(opened(), before)).toContain('a como estaba, vacía')
  })

  test('of the publication in force replaces another one, also where it has none', () => {
    const [first, second] = [opened('2025-09-15T10:00:00-06:00'), opened('2025-09-16T10:00:00-06:00')]
    expect(withVoteDatesOf(second, first)).toEqual(first)
    expect(withVoteDatesOf(second, opened())).toEqual(opened())
    expect(withVoteDatesOf(opened(), first)).toEqual(first)
    // The dates come in another order, which is no change of the reserved part.
    expect(hasSameReserved(first, withVoteDatesOf(second, first))).toBe(true)
    expect(hasSameReserved(first, withVoteDatesOf(first, second))).toBe(false)
  })
})

test('the first candidates open the vote at once, unless an opening is set or the closing is over', () => {
  const [closing, now] = ['2025-09-25T23:59:00-06:00', new Date('2025-09-01T12:00:00-06:00')]
  const dated = (ids: string[], fechas: object = {}) => ({
    ...edition(ids),
    'edicion.yaml': { fechas: { cierreVotacion: closing, ...fechas } },
  })
  expect(opensVoteAtOnce(dated([]), dated(['a']), now)).toBe(true)
  expect(opensVoteAtOnce(dated(['a']), dated(['a', 'b']), now)).toBe(false)
  expect(opensVoteAtOnce(dated([]), dated([]), now)).toBe(false)
  expect(opensVoteAtOnce(dated([]), dated(['a'], { aperturaVotacion: '2025-09-12T10:00:00-06:00' }), now)).toBe(false)
  expect(opensVoteAtOnce(dated([]), dated(['a']), new Date(closing))).toBe(false)
})
