import { expect, test } from 'vitest'
import { readEdicion } from '#app/cms/schema/read-content.server.ts'
import { fallasDePistas } from './document-hints.ts'

test('the edition has a hint for each document that its forms ask for, and no other', async () => {
  const { archivos } = await readEdicion('.')
  expect(fallasDePistas(archivos)).toEqual([])
  const registro = archivos['registro.yaml']!
  const { fotoRostro, ...pistas } = registro.pistas
  const broken = { 'registro.yaml': { ...registro, pistas: { ...pistas, fotoDeRostro: fotoRostro! } } }
  expect(fallasDePistas(broken).map(({ campo, remedio }) => `${campo}: ${remedio}`)).toEqual([
    'pistas.fotoRostro: falta: escribe qué pedir en «Foto Rostro»',
    expect.stringContaining(
      'pistas.fotoDeRostro: no es un documento de este registro: los que hay son actaNacimiento,',
    ),
  ])
})
