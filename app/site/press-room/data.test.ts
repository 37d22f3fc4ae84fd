import { expect, test } from 'vitest'
import { type DisplayedEdition, type Edition, withEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { listGallerySections } from './data.server.ts'

test('the group photograph waits until the edition presents its candidates', async () => {
  const edition = { nombre: 'Señorita Azahares', anio: 2025, candidatas: [], grupoPrensa: {} } as unknown as Edition
  expect(await withEdition({ edition } as DisplayedEdition, listGallerySections)).toEqual([])
})
