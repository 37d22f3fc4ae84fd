import { expect, test } from 'vitest'
import { isDisposableDomain } from './disposable-domains.ts'
import { registrableDomainOf } from './registrable-domain.server.ts'

const PROVIDERS = ['gmail.com', 'hotmail.com.mx', 'prodigy.net.mx']

test.each([
  ['ana@gmail.com', undefined],
  ['ana@hotmail.com.mx', undefined],
  ['ana@prodigy.net.mx', undefined],
  ['ana@empresa.mx', 'empresa.mx'],
  ['ana@s17.primo.mx', 'primo.mx'],
  ['ana@a.b.c.primo.com.mx', 'primo.com.mx'],
  ['ana@tercero-a.escuela.edu.mx', 'escuela.edu.mx'],
  ['ana@primo.duckdns.org', 'duckdns.org'],
  ['ana@primo.github.io', 'github.io'],
  ['ana@ventas.xn--caf-dma.mx', 'xn--caf-dma.mx'],
])('%s is counted under %s', (email, domain) => {
  expect(registrableDomainOf(email, PROVIDERS)).toBe(domain)
})

test('throw-away domains are known with all that stands under them', () => {
  expect(['yopmail.com', 'a.b.mailinator.com', 'correo.mx'].map(isDisposableDomain)).toEqual([true, true, false])
})
