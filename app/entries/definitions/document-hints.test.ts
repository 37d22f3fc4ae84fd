import { expect, test } from 'vitest'
import { readEdition } from '#app/cms/schema/read-content.server.ts'
import { findHintFaults } from './document-hints.ts'

test('the edition has a hint for each document that its forms ask for, and no other', async () => {
  const { documents } = await readEdition('.')
  expect(findHintFaults(documents)).toEqual([])
  const registration = documents['registro.yaml']!
  const { fotoRostro, ...hints } = registration.pistas
  const broken = { 'registro.yaml': { ...registration, pistas: { ...hints, fotoDeRostro: fotoRostro! } } }
  expect(findHintFaults(broken).map(({ campo, remedio }) => `${campo}: ${remedio}`)).toEqual([
    'pistas.fotoRostro: falta: escribe qué pedir en «Foto Rostro»',
    expect.stringContaining(
      'pistas.fotoDeRostro: no es un documento de este registro: los que hay son actaNacimiento,',
    ),
  ])
})
