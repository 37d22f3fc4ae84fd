import { describe, expect, it } from 'vitest'
import { acercar, dentro, ENTERA } from './zoom.ts'

describe('acercar', () => {
  it('keeps what lies under the point where it is', () => {
    const punto = { x: 120, y: -80 }
    const first = acercar({ escala: 1.5, x: 10, y: 20 }, 2, punto)
    expect(first.escala).toBe(3)
    // The detail of the picture under the point, in units of the whole picture, has to be the same before and after.
    const detail = (vista: typeof first) => ({
      x: (punto.x - vista.x) / vista.escala,
      y: (punto.y - vista.y) / vista.escala,
    })
    expect(detail(first)).toEqual(detail({ escala: 1.5, x: 10, y: 20 }))
  })

  it('stays between once and four times', () => {
    expect(acercar(ENTERA, 9, { x: 0, y: 0 }).escala).toBe(4)
    expect(acercar({ escala: 2, x: 0, y: 0 }, 0.1, { x: 0, y: 0 }).escala).toBe(1)
  })
})

describe('dentro', () => {
  const foto = { ancho: 400, alto: 600 }
  const escena = { ancho: 1000, alto: 800 }

  it('lets no edge come further in than the stage', () => {
    expect(dentro({ escala: 4, x: 999, y: -9999 }, foto, escena)).toEqual({ escala: 4, x: 300, y: -800 })
  })

  it('keeps a side that is smaller than the stage in the middle', () => {
    expect(dentro({ escala: 2, x: 50, y: 50 }, foto, escena)).toEqual({ escala: 2, x: 0, y: 50 })
    expect(dentro({ ...ENTERA, x: 7, y: 7 }, foto, escena)).toEqual(ENTERA)
  })
})
