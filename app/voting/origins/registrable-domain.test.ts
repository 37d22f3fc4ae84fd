import { expect, test } from 'vitest'
import { isDesechable } from './disposable-domains.ts'
import { dominioDe } from './registrable-domain.server.ts'

const PROVEEDORES = ['gmail.com', 'hotmail.com.mx', 'prodigy.net.mx']

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
])('%s is counted under %s', (correo, domain) => {
  expect(dominioDe(correo, PROVEEDORES)).toBe(domain)
})

test('throw-away domains are known with all that stands under them', () => {
  expect(['yopmail.com', 'a.b.mailinator.com', 'correo.mx'].map(isDesechable)).toEqual([true, true, false])
})
