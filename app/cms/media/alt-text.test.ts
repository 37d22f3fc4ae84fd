import { expect, test } from 'vitest'
import { altTextFault, suggestAltText } from './alt-text.ts'

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

test('a suggested text names the nearest item around the photograph, and is accepted', () => {
  const document = {
    candidatas: [{ nombre: 'Ximena Agave Montaño', galeria: [{ alt: '' }], prensa: { b: {} } }],
    noticias: [{ titulo: 'Ya llegó la banda', imagen: {} }],
    galeria: [{ alt: '' }],
  }
  const suggested = suggestAltText(document, ['candidatas', 0, 'galeria', 0])!
  expect(suggested).toBe('Fotografía de Ximena Agave Montaño')
  expect(altTextFault(suggested)).toBeUndefined()
  expect(suggestAltText(document, ['candidatas', 0, 'prensa', 'b'])).toBe(suggested)
  expect(suggestAltText(document, ['noticias', 0, 'imagen'])).toBe('Fotografía de «Ya llegó la banda»')
  expect(suggestAltText(document, ['galeria', 0])).toBeUndefined()
})
