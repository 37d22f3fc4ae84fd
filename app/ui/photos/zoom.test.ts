import { describe, expect, it } from 'vitest'
import { inside, WHOLE, zoomAt } from './zoom.ts'

describe('zoomAt', () => {
  it('keeps the detail under the point in place', () => {
    const point = { x: 120, y: -80 }
    const first = zoomAt({ escala: 1.5, x: 10, y: 20 }, 2, point)
    expect(first.escala).toBe(3)
    // The detail of the picture under the point, in units of the whole picture, has to be the same before and after.
    const detail = (view: typeof first) => ({
      x: (point.x - view.x) / view.escala,
      y: (point.y - view.y) / view.escala,
    })
    expect(detail(first)).toEqual(detail({ escala: 1.5, x: 10, y: 20 }))
  })

  it('stays between once and four times', () => {
    expect(zoomAt(WHOLE, 9, { x: 0, y: 0 }).escala).toBe(4)
    expect(zoomAt({ escala: 2, x: 0, y: 0 }, 0.1, { x: 0, y: 0 }).escala).toBe(1)
  })
})

describe('inside', () => {
  const photo = { ancho: 400, alto: 600 }
  const stageSize = { ancho: 1000, alto: 800 }

  it('lets no edge come further in than the stage', () => {
    expect(inside({ escala: 4, x: 999, y: -9999 }, photo, stageSize)).toEqual({ escala: 4, x: 300, y: -800 })
  })

  it('keeps a side that is smaller than the stage in the middle', () => {
    expect(inside({ escala: 2, x: 50, y: 50 }, photo, stageSize)).toEqual({ escala: 2, x: 0, y: 50 })
    expect(inside({ ...WHOLE, x: 7, y: 7 }, photo, stageSize)).toEqual(WHOLE)
  })
})
