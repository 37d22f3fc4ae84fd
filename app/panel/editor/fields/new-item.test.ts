import { expect, test } from 'vitest'
import { descriptorOf } from '#app/cms/schema/faults.ts'
import { descriptorAt } from '#app/cms/schema/field-descriptor.ts'
import { createItem, idOfNamedItem } from './new-item.ts'

const typed = { nameBefore: '', publishedIds: [], withdrawnIds: [], keepsUrl: true }

test('a new news item gets an id, which its first title names', () => {
  const item = createItem(descriptorAt(descriptorOf('inicio.yaml'), ['noticias', 0])!, [])
  expect(item).toMatchObject({ id: expect.stringMatching(/^nuevo-/), titulo: '' })
  expect(idOfNamedItem([item], 0, { ...typed, name: 'Ya llegó la banda' })).toBe('ya-llego-la-banda')
  const taken = idOfNamedItem([{ id: 'ya' }, { id: 'nuevo-abc' }], 1, { ...typed, name: 'Ya' })
  expect(taken).toBe('ya-abc')
  expect(idOfNamedItem([{ id: 'nuevo-abc' }], 0, { ...typed, name: 'Ya', publishedIds: ['nuevo-abc'] })).toBeUndefined()
})

test('a candidate who is typed in again after her withdrawal gets another id', () => {
  const again = { ...typed, name: 'Ana Ceiba', withdrawnIds: ['ana-ceiba'] }
  expect(idOfNamedItem([{ id: 'nuevo-abc' }], 0, again)).toBe('ana-ceiba-abc')
})

test('a corrected title leaves the address of an item as it was, with an id or without', () => {
  const corrected = { ...typed, name: 'La corona', nameBefore: 'La corana' }
  expect(idOfNamedItem([{ id: 'la-corana' }], 0, corrected)).toBeUndefined()
  expect(idOfNamedItem([{ titulo: 'La corana' }, { titulo: 'La corona' }], 1, corrected)).toBe('la-corana-2')
  expect(idOfNamedItem([{ titulo: 'La corona' }], 0, corrected)).toBe('la-corana')
  expect(idOfNamedItem([{ titulo: 'La corona' }], 0, { ...corrected, nameBefore: 'La corona' })).toBeUndefined()
})
