import { expect, test } from 'vitest'
import { avisoDeEspacio, nivelDe } from './rules.ts'

const GB = 1024 ** 3
const disco = (libres: number, piso = 4 * GB) => ({ libres, piso, disponible: libres - piso })

test.each([
  [100 * GB, 'holgado'],
  [6.1 * GB, 'holgado'],
  [6 * GB, 'poco'],
  [4.1 * GB, 'poco'],
  [4 * GB, 'lleno'],
  [0, 'lleno'],
])('%d bytes free', (libres, nivel) => {
  expect(nivelDe(disco(libres))).toBe(nivel)
})

test('it is said before it is full, with how much is left and what to do', () => {
  expect(avisoDeEspacio(disco(100 * GB))).toBeUndefined()
  expect(avisoDeEspacio(disco(5.25 * GB))).toMatch(/casi se llena: quedan 5\.3 GB\. Con 4 GB .*Borra las inscripciones/)
  expect(avisoDeEspacio(disco(300 * 1024 ** 2))).toMatch(/está lleno: quedan 300 MB .*No recibe registros/)
})
