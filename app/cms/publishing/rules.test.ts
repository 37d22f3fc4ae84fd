import { describe, expect, test } from 'vitest'
import { adviceOnMovedPlaces } from './rules.ts'

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
