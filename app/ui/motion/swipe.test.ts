import { describe, expect, it } from 'vitest'
import { slidePlaceOf, swipeStep, wrapIndex } from './swipe.ts'

describe('wrap', () => {
  it('joins both ends', () => {
    expect([-1, 0, 3, 4, 9].map((index) => wrapIndex(index, 4))).toEqual([3, 0, 3, 0, 1])
  })
})

describe('swipeStep', () => {
  it('needs more than 50 px', () => {
    expect([49, 50, 51].map((dx) => swipeStep(dx, 0))).toEqual([0, 0, -1])
    expect([-49, -50, -51].map((dx) => swipeStep(dx, 0))).toEqual([0, 0, 1])
  })

  it('goes back to the right and on to the left', () => {
    expect(swipeStep(120, 10)).toBe(-1)
    expect(swipeStep(-120, -10)).toBe(1)
  })

  it('leaves a scroll of the page alone', () => {
    expect(swipeStep(60, 90)).toBe(0)
    expect(swipeStep(-60, -60)).toBe(0)
  })
})

describe('placeOf', () => {
  it('gives each of four pictures its own place', () => {
    expect([0, 1, 2, 3].map((index) => slidePlaceOf(index, 0, 4))).toEqual(['current', 'next', 'far', 'previous'])
    expect([0, 1, 2, 3].map((index) => slidePlaceOf(index, 3, 4))).toEqual(['next', 'far', 'previous', 'current'])
  })
})
