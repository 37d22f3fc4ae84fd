import { expect, test } from 'vitest'
import { itemSlugOf, withSlugs } from './item-slugs.ts'

const slugsOf = (...items: { id?: string; titulo: string }[]) => withSlugs(items, 'noticia').map(({ slug }) => slug)

test('an address comes from the id, and without one from the title', () => {
  expect(slugsOf({ id: 'corona', titulo: 'Otra cosa' }, { titulo: '¡Ya llegó la banda!' })).toEqual([
    'corona',
    'ya-llego-la-banda',
  ])
  expect(slugsOf({ titulo: '¡¿…?!' })).toEqual(['noticia'])
})

test('no two addresses are equal, and an id keeps its own', () => {
  expect(
    slugsOf({ titulo: 'Uno' }, { titulo: 'Uno' }, { id: 'uno', titulo: 'Dos' }, { id: 'uno', titulo: 'Tres' }),
  ).toEqual(['uno-2', 'uno-3', 'uno', 'uno-4'])
})

test('a long title is cut at a word', () => {
  expect(itemSlugOf('La rueda vuelve a encenderse frente a la iglesia parroquial')).toBe(
    'la-rueda-vuelve-a-encenderse-frente-a-la-iglesia',
  )
  expect(itemSlugOf('a'.repeat(80))).toHaveLength(50)
})
