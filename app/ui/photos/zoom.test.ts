import { describe, expect, it } from 'vitest'
import { keepInside, WHOLE_VIEW, zoomAt } from './zoom.ts'

describe('zoomAt', () => {
  it('keeps the detail under the point in place', () => {
    const point = { x: 120, y: -80 }
    const first = zoomAt({ scale: 1.5, x: 10, y: 20 }, 2, point)
    expect(first.scale).toBe(3)
    // The detail of the picture under the point, in units of the whole picture, has to be the same before and after.
    const detail = (view: typeof first) => ({
      x: (point.x - view.x) / view.scale,
      y: (point.y - view.y) / view.scale,
    })
    expect(detail(first)).toEqual(detail({ scale: 1.5, x: 10, y: 20 }))
  })

  it('stays between once and four times', () => {
    expect(zoomAt(WHOLE_VIEW, 9, { x: 0, y: 0 }).scale).toBe(4)
    expect(zoomAt({ scale: 2, x: 0, y: 0 }, 0.1, { x: 0, y: 0 }).scale).toBe(1)
  })
})

describe('inside', () => {
  const photo = { width: 400, height: 600 }
  const stageSize = { width: 1000, height: 800 }

  it('lets no edge come further in than the stage', () => {
    expect(keepInside({ scale: 4, x: 999, y: -9999 }, photo, stageSize)).toEqual({ scale: 4, x: 300, y: -800 })
  })

  it('keeps a side that is smaller than the stage in the middle', () => {
    expect(keepInside({ scale: 2, x: 50, y: 50 }, photo, stageSize)).toEqual({ scale: 2, x: 0, y: 50 })
    expect(keepInside({ ...WHOLE_VIEW, x: 7, y: 7 }, photo, stageSize)).toEqual(WHOLE_VIEW)
  })
})
