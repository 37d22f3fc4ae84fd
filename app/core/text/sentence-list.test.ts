import { expect, it } from 'vitest'
import { enLista } from './sentence-list.ts'

it.each([
  [[], ''],
  [['Valeria'], 'Valeria'],
  [['Valeria', 'Renata'], 'Valeria y Renata'],
  [['Valeria', 'Renata', 'Ximena'], 'Valeria, Renata y Ximena'],
  [['Valeria', 'Inés'], 'Valeria e Inés'],
  [['Valeria', 'Hilda'], 'Valeria e Hilda'],
  [['Valeria', 'Ivonne', 'Hiedra'], 'Valeria, Ivonne y Hiedra'],
])('lists %j as a sentence does', (palabras, said) => {
  expect(enLista(palabras)).toBe(said)
})
