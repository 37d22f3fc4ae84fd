import { expect, it } from 'vitest'
import { shareUrlsOf } from './share-urls.ts'

const url = 'https://sitio.mx/candidatas?a=1&b=2#renata-cempasuchil-nava'
const { whatsapp, facebook } = shareUrlsOf('Renata Cempasúchil & Nava: 100 %', url)

it('hands over text and address whole', () => {
  expect(new URL(whatsapp).searchParams.get('text')).toBe(`Renata Cempasúchil & Nava: 100 % ${url}`)
  expect(new URL(facebook).searchParams.get('u')).toBe(url)
})

it('keeps the origin readable, and no hash outside of the shared address', () => {
  expect(whatsapp).toContain('https://sitio.mx/')
  expect(facebook).toContain('u=https://sitio.mx/')
  expect(new URL(whatsapp).hash + new URL(facebook).hash).toBe('')
})
