import { describe, expect, it } from 'vitest'
import { numberInHash, photoHashOf, revalidateUnlessHashOnly } from './lightbox-hash.ts'

describe('numberInHash', () => {
  it('reads the hash that photoHashOf wrote', () => {
    expect(numberInHash(photoHashOf('galeria', 12), 'galeria', 15)).toBe(12)
  })

  it('rejects a hash that names no photograph of the group', () => {
    for (const hash of [
      '',
      '#galeria',
      '#foto-galeria-0',
      '#foto-galeria-4',
      '#foto-galeria-1x',
      '#foto-galeria-',
      '#foto-galeria-01',
    ])
      expect(numberInHash(hash, 'galeria', 3)).toBeUndefined()
  })

  it('keeps groups apart whose keys begin alike', () => {
    expect(numberInHash('#foto-ana-lopez-1', 'ana', 3)).toBeUndefined()
    expect(numberInHash('#foto-ana-2-1', 'ana-2', 3)).toBe(1)
    expect(numberInHash('#foto-ana-2-1', 'ana', 3)).toBeUndefined()
  })
})

describe('revalidateUnlessHashOnly', () => {
  const going = (from: string, to: string, more: object = {}) =>
    revalidateUnlessHashOnly({
      currentUrl: new URL(from, 'https://sitio.mx'),
      nextUrl: new URL(to, 'https://sitio.mx'),
      currentParams: {},
      nextParams: {},
      defaultShouldRevalidate: true,
      ...more,
    })

  it('asks for nothing when only the hash changes', () => {
    expect(going('/candidatas#foto-ana-1', '/candidatas')).toBe(false)
    expect(going('/candidatas?x=1#foto-ana-1', '/candidatas?x=1')).toBe(false)
  })

  it('leaves every other change to the router', () => {
    expect(going('/candidatas', '/candidatas')).toBe(true)
    expect(going('/candidatas#a', '/candidatas?x=1')).toBe(true)
    expect(going('/candidatas', '/maestros')).toBe(true)
    expect(going('/candidatas#a', '/candidatas', { formMethod: 'POST' })).toBe(true)
    expect(going('/candidatas', '/maestros', { defaultShouldRevalidate: false })).toBe(false)
  })
})
