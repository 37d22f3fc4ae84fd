import { expect, test } from 'vitest'
import { altTextFault } from './alt-text.ts'

test.each([
  '',
  '   ',
  'foto',
  'Imagen',
  'La fotografía',
  'imagen 3',
  'FOTO DE',
  'IMG_2034',
  'IMG_2034.HEIC',
  'DSC-0012',
  'PXL_20250912',
  'WhatsApp Image 2025-09-12 at 18.22.01',
  'reina.jpg',
  '20250912_182201',
  'reina',
])('«%s» does not describe a picture', (alt) => {
  expect(altTextFault(alt)).toBeDefined()
})

test('the name of the file, in any spelling, does not describe a picture', () => {
  for (const alt of ['carro alegórico 2025', 'Carro-Alegorico-2025', 'carro_alegorico_2025.jpg'])
    expect(altTextFault(alt, 'Carro_Alegórico_2025.jpg')).toMatch(/nombre del archivo/)
  expect(altTextFault('El carro alegórico de 2025 frente al templo', 'Carro_Alegórico_2025.jpg')).toBeUndefined()
})

test.each([
  'Valeria Alcázar sonríe con la banda y la corona',
  'La foto del centenario cuelga en el palacio municipal',
  'Imagen de la Virgen en la procesión',
  'Rocío, de perfil',
])('«%s» is accepted', (alt) => {
  expect(altTextFault(alt)).toBeUndefined()
})
