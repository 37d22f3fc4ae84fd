import { expect, it } from 'vitest'
import { sentenceList } from './sentence-list.ts'

it.each([
  [[], ''],
  [['Valeria'], 'Valeria'],
  [['Valeria', 'Renata'], 'Valeria y Renata'],
  [['Valeria', 'Renata', 'Ximena'], 'Valeria, Renata y Ximena'],
  [['Valeria', 'Inés'], 'Valeria e Inés'],
  [['Valeria', 'Hilda'], 'Valeria e Hilda'],
  [['Valeria', 'Ivonne', 'Hiedra'], 'Valeria, Ivonne y Hiedra'],
])('lists %j as a sentence does', (words, said) => {
  expect(sentenceList(words)).toBe(said)
})
